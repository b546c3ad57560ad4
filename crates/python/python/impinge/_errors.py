"""The exceptions of the package. Messages are those of the program: the place, the problem and the remedy."""


class ImpingeError(Exception):
    """Base of all exceptions of this package."""


class ArgumentError(ImpingeError, ValueError):
    """An argument that cannot be used: an array of the wrong shape or type, a number that is not finite."""


class UnknownNameError(ImpingeError, LookupError):
    """A name that no body, method or key has. The message lists those that exist."""


class SceneError(ImpingeError, ValueError):
    """A scene that cannot be read or simulated."""


class StepError(ImpingeError):
    """A step without a collision-free result. The state is that before the step, and the simulation can be used.

    Attributes:
        step: number of the step.
        time: simulated time of the last safe state (s).
    """

    step: int = 0
    time: float = 0.0


class ControllerError(StepError):
    """A step before which a controller raised; that exception is its ``__cause__``. The state is that before the step.

    Attributes:
        controller: name of the controller.
    """

    controller: str = ""


class StateError(ImpingeError):
    """A simulation that cannot be used: it computes in another thread, or it was lost. Or a state of another scene."""


class MeshError(ImpingeError, ValueError):
    """A mesh, or a file of one, that cannot be used."""


class RunError(ImpingeError):
    """Files of a run that cannot be read or written."""


class SolveError(ImpingeError, ValueError):
    """A contact problem that cannot be solved."""


class InternalError(ImpingeError):
    """A mistake of this package. Please report it."""
