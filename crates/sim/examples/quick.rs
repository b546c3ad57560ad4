use impinge_sim::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: u64 = args[2].parse().unwrap();
    let scene = Scene::load(&args[1], &args[3..]).unwrap();
    let mut sim = match Simulation::new(&scene) {
        Ok(s) => s,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    let every = (n / 40).max(1);
    let mut acc = StepReport::default();
    for i in 0..n {
        match sim.advance() {
            Ok(r) => {
                acc.iterations += r.iterations;
                acc.rounds += r.rounds;
                acc.rejected += r.rejected;
                acc.extra_products += r.extra_products;
                acc.least_squares_solves += r.least_squares_solves;
                acc.times.assemble += r.times.assemble;
                acc.times.detect += r.times.detect;
                acc.times.resolve += r.times.resolve;
                acc.times.refine += r.times.refine;
                acc.times.formulate += r.times.formulate;
                acc.times.commit += r.times.commit;
                acc.broad_phase_collections += r.broad_phase_collections;
                if (i + 1) % every == 0 {
                    let e = every as f64;
                    println!(
                        "{} t={:.4} it={:.1} xp={:.0} rounds={:.1} act={} stick={} add={} relin={} rem={} cand={}+{} coll={} rej={} ls={} sub={} ev={:.1e} en={:.1e} et={:.1e} gap=[{:.1e},{:.1e}] J={:.2} KE={:.3e} E={:.5e} F={:.3} ms: as={:.1} de={:.1} fo={:.1} so={:.1} re={:.1} co={:.1}",
                        r.step,
                        r.time,
                        acc.iterations as f64 / e,
                        acc.extra_products as f64 / e,
                        acc.rounds as f64 / e,
                        r.active,
                        r.sticking,
                        r.contacts_added,
                        r.relinearised,
                        r.removed,
                        r.vertex_face_candidates,
                        r.edge_edge_candidates,
                        acc.broad_phase_collections,
                        acc.rejected,
                        acc.least_squares_solves,
                        r.substeps,
                        r.momentum_residual,
                        r.normal_residual,
                        r.friction_residual,
                        r.minimum_gap,
                        r.maximum_gap,
                        r.minimum_volume_ratio,
                        r.kinetic_energy,
                        r.kinetic_energy + r.elastic_energy + r.gravitational_energy,
                        r.contact_force[2],
                        acc.times.assemble * 1e3 / e,
                        acc.times.detect * 1e3 / e,
                        acc.times.formulate * 1e3 / e,
                        acc.times.resolve * 1e3 / e,
                        acc.times.refine * 1e3 / e,
                        acc.times.commit * 1e3 / e
                    );
                    acc = StepReport::default();
                }
            }
            Err(e) => {
                println!("{e}");
                break;
            }
        }
    }
}
