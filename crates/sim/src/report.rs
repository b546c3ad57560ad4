//! What one committed step tells: counts, residuals, energies and times.

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
    /// Continuous collision detection on the foreseen and on the solved motion, gaps and re-linearisation (s).
    pub refine: f64,
    /// The certificate and the state's advance (s).
    pub commit: f64,
}

impl StageTimes {
    /// Sum over all stages (s).
    pub fn total(&self) -> f64 {
        self.assemble + self.detect + self.formulate + self.resolve + self.refine + self.commit
    }
}

/// Statistics of one frame step: what was done, and what an independent residual says was reached.
///
/// A step that was subdivided reports the sums (counts, times) or the worst (residuals, gaps) over its parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Simulated time at its end (s).
    pub time: f64,
    /// Parts that the step was divided into; 1 when it was taken whole.
    pub substeps: u32,
    /// Attempts that were rolled back before it succeeded.
    pub rejected: u32,
    /// Iterations of the contact solver, each with one product by the momentum matrix.
    pub iterations: u64,
    /// Those of them that anticipated contact states; the rest are conjugate-residual iterations.
    pub anticipations: u64,
    /// Further products with the momentum matrix: restarts and exact refreshes.
    pub extra_products: u64,
    /// Evaluations of the contact states inside the solver.
    pub evaluations: u64,
    /// State changes committed by them.
    pub state_changes: u64,
    /// Solver calls: one more than the rounds in which contacts were added or re-linearised.
    pub rounds: u32,
    /// Contacts added by continuous collision detection.
    pub contacts_added: u32,
    /// Contacts re-linearised.
    pub relinearised: u32,
    /// Contacts removed because the closest point left the feature.
    pub removed: u32,
    /// Vertices whose motion left the box that the broad phase covered, found and covered again.
    pub box_overruns: u32,
    /// Contacts held active at the end of the step.
    pub active: u32,
    /// Active contacts that stick.
    pub sticking: u32,
    /// Active contacts that slide.
    pub sliding: u32,
    /// Stored contacts that are inactive.
    pub inactive: u32,
    /// Vertex-face candidates.
    pub vertex_face_candidates: u32,
    /// Edge-edge candidates.
    pub edge_edge_candidates: u32,
    /// Broad-phase collections; 0 when the previous candidate set still covered the motion.
    pub broad_phase_collections: u32,
    /// Continuous collision queries that the cheap filters did not settle.
    pub ccd_queries: u64,
    /// Independent momentum residual `e_v`, every body's in proportion to its tolerance (N·s).
    pub momentum_residual: f64,
    /// `ε₁`: the largest momentum tolerance of a body, which that is in proportion to (N·s).
    pub momentum_tolerance: f64,
    /// Independent normal complementarity residual `e_n` (m).
    pub normal_residual: f64,
    /// Independent friction residual `e_t`: cone, stick and direction in one (m).
    pub friction_residual: f64,
    /// Smallest distance of an active contact at the end of the step (m); infinite when there is none.
    pub minimum_gap: f64,
    /// Largest distance of an active contact at the end of the step (m), one beside an edge or a corner measured to what is nearest there;
    /// 0 when there is none.
    pub maximum_gap: f64,
    /// Smallest deformed over rest volume of any element.
    pub minimum_volume_ratio: f64,
    /// Kinetic energy (J).
    pub kinetic_energy: f64,
    /// Elastic energy (J).
    pub elastic_energy: f64,
    /// Gravitational potential energy relative to the origin (J).
    pub gravitational_energy: f64,
    /// Linear momentum of the free nodes (N·s).
    pub momentum: [f64; 3],
    /// Angular momentum of the free nodes about the origin (N·m·s).
    pub angular_momentum: [f64; 3],
    /// Sum of the contact forces on the free nodes (N).
    pub contact_force: [f64; 3],
    /// Solves that ended at a least-squares solution of over-constrained contacts and passed the geometric check.
    pub least_squares_solves: u32,
    /// Parts of the step accepted with friction settled to the gap tolerance only, because the slip tolerance took too long.
    pub relaxed_solves: u32,
    /// Solves that conjugate residuals did not finish and that Newton's method on the contact forces did.
    pub rescued_solves: u32,
    /// Parts of steps, at the shortest length, that were accepted collision-free although the solver did not converge.
    pub inexact_solves: u32,
    /// Parts of the step accepted with a momentum residual beyond twice the tolerance.
    pub unmet_momentum: u32,
    /// 1 if energy was gained that nothing outside explains.
    pub energy_gains: u32,
    /// 1 if surfaces met that no contact keeps apart; the constrained stepper alone lets them.
    pub crossings: u32,
    /// Elements whose volume is not positive at the end of the step.
    pub inverted_elements: u32,
    /// Restarts from the plain diagonal preconditioner after a zero curvature.
    pub preconditioner_fallbacks: u32,
    /// Active contacts that ended farther apart than the clearance: where the path needed the row to hold at an impact,
    /// where re-linearisation did not settle, or where it would change nothing.
    pub loose_contacts: u32,
    /// Continuous collision queries that stopped at their work limit and were counted as impacts.
    pub ccd_work_limits: u32,
    /// Wall time per stage (s).
    pub times: StageTimes,
}
