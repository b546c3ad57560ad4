//! Report of one committed step: counts, residuals, energies and times.

use crate::balance::StepBalance;
use serde::Serialize;

/// Wall-clock seconds spent in each stage of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StageTimes {
    /// Forces and momentum matrix (s).
    pub assemble: f64,
    /// Broad phase: candidate pairs (s).
    pub detect: f64,
    /// Contact rows and problem data (s).
    pub formulate: f64,
    /// The contact solver (s).
    pub resolve: f64,
    /// Continuous collision detection on the predicted and the solved motion, gaps and re-linearisation (s).
    pub refine: f64,
    /// Final checks and the advance of the state (s).
    pub commit: f64,
}

impl StageTimes {
    /// Sum over all stages (s).
    pub fn total(&self) -> f64 {
        self.assemble + self.detect + self.formulate + self.resolve + self.refine + self.commit
    }
}

/// Statistics of one step: its work, and the accuracy according to an independent residual.
///
/// A subdivided step reports the sum (counts, times) or the worst (residuals, gaps) over its substeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time at its end (s).
    pub time: f64,
    /// Substeps; 1 for an undivided step.
    pub substeps: u32,
    /// Rejected attempts before it succeeded.
    pub rejected: u32,
    /// Iterations of the contact solver, each with one product by the momentum matrix.
    pub iterations: u64,
    /// Iterations of active-set predictions among them; the others are conjugate-residual iterations.
    pub prediction_iterations: u64,
    /// Further products with the momentum matrix: restarts and exact refreshes.
    pub extra_products: u64,
    /// Active-set evaluations in the solver.
    pub evaluations: u64,
    /// State changes in these evaluations.
    pub state_changes: u64,
    /// Rounds of solves, one of each island that changed.
    pub rounds: u32,
    /// Rounds among them for which elastic forces were linearised again, also where contacts were added or joints
    /// closed.
    pub newton_rounds: u32,
    /// Contacts added by continuous collision detection.
    pub contacts_added: u32,
    /// Contacts re-linearised.
    pub relinearised: u32,
    /// Contacts removed because the closest point left the feature.
    pub removed: u32,
    /// Vertices that left the box covered by the broad phase; the box is enlarged and searched again.
    pub box_overruns: u32,
    /// Active contacts at the end of the step.
    pub active: u32,
    /// Active contacts that stick.
    pub sticking: u32,
    /// Active contacts that slide.
    pub sliding: u32,
    /// Persistent contacts that are inactive.
    pub inactive: u32,
    /// Candidate pairs of a vertex and a face.
    pub vertex_face_candidates: u32,
    /// Candidate pairs of two edges.
    pub edge_edge_candidates: u32,
    /// Broad-phase collections; 0 if the previous candidate set still covers the motion.
    pub broad_phase_collections: u32,
    /// Continuous collision queries that the cheap filters did not decide.
    pub ccd_queries: u64,
    /// Independent momentum residual `e_v`, weighted by the tolerances of the bodies (N·s).
    pub momentum_residual: f64,
    /// `ε₁`: the largest momentum tolerance of a body, to which the residual is scaled (N·s).
    pub momentum_tolerance: f64,
    /// Largest nonlinear residual of a body over its accepted size: at most 1, unless the step is inexact.
    pub nonlinear_residual: f64,
    /// Independent normal complementarity residual `e_n` (m).
    pub normal_residual: f64,
    /// Independent friction residual `e_t`: cone, sticking and direction in one (m).
    pub friction_residual: f64,
    /// Smallest distance of an active contact at the end of the step (m); infinite if there is none.
    pub minimum_gap: f64,
    /// Largest distance of an active contact at the end of the step (m); 0 if there is none. A contact beside an edge
    /// or a corner counts with the least distance there.
    pub maximum_gap: f64,
    /// Smallest deformed over rest volume of any element.
    pub minimum_volume_ratio: f64,
    /// Kinetic energy (J).
    pub kinetic_energy: f64,
    /// Elastic energy (J).
    pub elastic_energy: f64,
    /// Gravitational potential energy relative to the origin (J).
    pub gravitational_energy: f64,
    /// Linear momentum of free nodes and rigid bodies (N·s).
    pub momentum: [f64; 3],
    /// Angular momentum of free nodes and rigid bodies about the origin (N·m·s).
    pub angular_momentum: [f64; 3],
    /// Sum of the contact forces on them (N); 0 with the asynchronous stepper unless it keeps contacts.
    pub contact_force: [f64; 3],
    /// Solves that ended at a least-squares solution of over-constrained contacts and passed the geometric check.
    pub least_squares_solves: u32,
    /// Substeps accepted with relaxed friction, or at the iteration limit within twice all tolerances.
    pub relaxed_solves: u32,
    /// Solves completed by the fallback: Newton's method on the contact forces or on all unknowns.
    pub rescued_solves: u32,
    /// Shortest substeps accepted collision-free although the solver did not converge.
    pub inexact_solves: u32,
    /// Substeps accepted with a momentum residual above twice the tolerance.
    pub unmet_momentum: u32,
    /// 1 after an unexplained energy gain.
    pub energy_gains: u32,
    /// 1 if surfaces crossed, which only the constrained stepper permits.
    pub crossings: u32,
    /// Elements whose volume is not positive at the end of the step.
    pub inverted_elements: u32,
    /// Restarts with the plain diagonal preconditioner after a zero curvature, and solves whose coarse grid could not
    /// be factorised.
    pub preconditioner_fallbacks: u32,
    /// Active contacts that ended farther apart than the clearance: an impact in this step determines their
    /// linearisation, another one would change nothing, or re-linearisations by their gap did not settle.
    pub loose_contacts: u32,
    /// Continuous collision queries at their work limit, which count as impacts.
    pub ccd_work_limits: u32,
    /// Wall time per stage (s).
    pub times: StageTimes,
    /// Sources and losses of the energy of each body, unless the scene turns them off (`output.energies`).
    #[serde(skip)]
    pub balance: Option<Box<StepBalance>>,
}
