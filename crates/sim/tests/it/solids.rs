//! Solids whose strains are constraints: both forms, hexahedra, meshless bodies, plastic flow, and rejected input.

use impinge_sim::output::Frame;
use impinge_sim::stepper::Synchronous;
use impinge_sim::{Model, Scene, Simulation, State, StepReport, Stepper};

/// A short beam held at one end, under its weight.
const BEAM: &str = r#"
[solver]
method = "compliant-kkt"
momentum_tolerance = 1e-9

[time]
step = 1e-2
duration = 1.0

[[body]]
name = "beam"
mesh = { cuboid = { size = [0.2, 0.05, 0.05], cells = [4, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 0.05 }
fixed = [{ box = { lower = [-0.11, -1, -1], upper = [-0.099, 1, 1] } }]
"#;

fn with(mesh: &str, keys: &str) -> String {
    BEAM.replace("cuboid", mesh)
        .replace("stiffness_damping", &format!("{keys}, stiffness_damping"))
}

fn scene(text: &str) -> Scene {
    Scene::parse("beam.toml", text, &[""; 0]).expect("a scene")
}

fn refused(text: &str) -> String {
    let error = match Scene::parse("beam.toml", text, &[""; 0]) {
        Ok(scene) => Simulation::new(&scene).err().map(|e| e.to_string()),
        Err(error) => Some(error.to_string()),
    };
    error.expect("refused")
}

fn run(text: &str, steps: u32) -> Simulation {
    let mut simulation = Simulation::new(&scene(text)).expect("sound");
    for _ in 0..steps {
        let report = simulation.advance().expect("solved");
        assert!(report.momentum_residual < 1e-6);
    }
    simulation
}

/// The state after `steps` more from `state`, and the last report.
fn run_on(text: &str, state: &State, steps: u32) -> (Model, State, StepReport) {
    let (model, _) = Model::new(&scene(text)).expect("sound");
    let mut stepper = Synchronous::new(&model).expect("sound");
    let (mut state, mut report) = (state.clone(), StepReport::default());
    for _ in 0..steps {
        report = stepper.advance(&model, &mut state).expect("solved");
    }
    (model, state, report)
}

/// Largest distance between the points of two runs (m).
fn apart(one: &Simulation, other: &Simulation) -> f64 {
    let (one, other) = (&one.state().positions, &other.state().positions);
    let distances = one.iter().zip(other).map(|(a, b)| (a - b).norm());
    distances.fold(0.0, f64::max)
}

/// Displacement of the free end downwards (m).
fn sag(simulation: &Simulation) -> f64 {
    let (rest, now) = (
        &simulation.model().points.rest,
        &simulation.state().positions,
    );
    let fall = rest.iter().zip(now).map(|(a, b)| a.z - b.z);
    fall.fold(0.0, f64::max)
}

const MODELS: [&str; 3] = ["corotational", "st_venant_kirchhoff", "neo_hookean"];

/// From rest one linearisation of both forms is the same step, except for the shear of strains in compliance form.
#[test]
fn both_forms_take_the_same_first_step() {
    for mesh in ["cuboid", "hexahedra"] {
        for model in MODELS {
            let [stiff, rows] = ["stiffness", "compliance"].map(|form| {
                let keys = format!("model = \"{model}\", formulation = \"{form}\"");
                let text = with(mesh, &keys);
                let text = text.replacen("[time]", "[time]\nelasticity = \"linearised\"", 1);
                run(&text, 1)
            });
            let moved = sag(&stiff);
            assert!(moved > 1e-5);
            let error = apart(&stiff, &rows) / moved;
            assert!(error < 1e-8, "{mesh} {model}: {error:e}");
        }
    }
}

/// They end at the same place: both are stationary points of the same energy.
#[test]
fn both_forms_come_to_rest_at_the_same_place() {
    for (mesh, extra) in [
        ("cuboid", ""),
        ("hexahedra", ""),
        ("cuboid", ", meshless = 0.065"),
    ] {
        for model in MODELS {
            let [stiff, rows] = ["stiffness", "compliance"].map(|form| {
                let keys = format!("model = \"{model}\", formulation = \"{form}\"{extra}");
                let text = with(mesh, &keys).replace("young = 1e5", "young = 4e5");
                run(&text, 300)
            });
            assert!(sag(&stiff) > 0.005, "{mesh} {model}: {}", sag(&stiff));
            let error = apart(&stiff, &rows) / sag(&stiff);
            assert!(error < 1e-4, "{mesh}{extra} {model}: {error:e}");
        }
    }
}

/// Finite elements and the same elements as constraints store the same energy.
#[test]
fn both_ways_to_assemble_measure_the_same_energy() {
    for (mesh, model) in ["cuboid", "hexahedra"]
        .into_iter()
        .flat_map(|mesh| MODELS.map(|m| (mesh, m)))
    {
        let fast = run(&with(mesh, &format!("model = \"{model}\"")), 40);
        let energy = fast
            .model()
            .elements
            .elastic
            .energy(&fast.state().positions);
        assert!(energy > 1e-4);
        let keys = format!("model = \"{model}\", formulation = \"compliance\"");
        // So short a step that positions do not change.
        let short = with(mesh, &keys).replace("step = 1e-2", "step = 1e-9");
        let (empty, mut state) = Model::new(&scene(&short)).expect("sound");
        state.positions.clone_from(&fast.state().positions);
        let (_, _, report) = run_on(&short, &state, 1);
        let error = (report.elastic_energy / energy - 1.0).abs();
        assert!(
            error < 1e-5,
            "{mesh} {model}: {} J, {energy} J",
            report.elastic_energy
        );
        assert!(empty.elements.elastic.energy(&fast.state().positions).abs() < f64::MIN_POSITIVE);
    }
}

/// A block of foam, `ν = 0`, carries a dead load of 0.30 and 0.36 of its Young modulus at the stretch of the law,
/// `(σ − 1/σ)/2 = −load`: far below the volume ratio 0.7, and without inverting an element.
#[test]
fn foam_carries_a_dead_load_where_the_law_says() {
    let loaded = |mesh: &str, load: f64| {
        let force = -load * 1e6 * 0.01;
        let text = format!(
            r#"
[time]
step = 5e-3
duration = 1.0

[world]
gravity = [0, 0, 0]

[solver]
momentum_tolerance = 1e-8

[[body]]
name = "foam"
mesh = {{ {mesh} = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
material = {{ model = "neo_hookean", young = 1e6, poisson = 0, density = 1000, mass_damping = 100 }}
fixed = [{{ box = {{ lower = [-1, -1, -0.051], upper = [1, 1, -0.049] }} }}]
pulls = [{{ box = {{ lower = [-1, -1, 0.049], upper = [1, 1, 0.051] }}, force = [0, 0, {force}] }}]
"#
        );
        let mut simulation = Simulation::new(&scene(&text)).expect("sound");
        for _ in 0..200 {
            let report = simulation.advance().expect("solved");
            assert_eq!(report.inverted_elements, 0);
        }
        let (rest, now) = (
            &simulation.model().points.rest,
            &simulation.state().positions,
        );
        let top = rest.iter().zip(now).filter(|(rest, _)| rest.z > 0.049);
        let heights: Vec<f64> = top.map(|(_, now)| (now.z + 0.05) / 0.1).collect();
        assert_eq!(heights.len(), 4);
        heights
    };
    for load in [0.30, 0.36, 1.0] {
        let expected = (load * load + 1.0_f64).sqrt() - load;
        for height in loaded("hexahedra", load) {
            assert!(
                (height / expected - 1.0).abs() < 1e-5,
                "{load}: {height} {expected}"
            );
        }
    }
}

/// Hexahedra bend where tetrahedra of the same nodes lock, and stretch like them: a bar under its own weight.
#[test]
fn hexahedra_hang_like_tetrahedra_and_bend_more() {
    let hang = |mesh: &str| {
        let text = with(mesh, "formulation = \"stiffness\"")
            .replace("[solver]", "[world]\ngravity = [5, 0, 0]\n\n[solver]")
            .replace("poisson = 0.3", "poisson = 0");
        let simulation = run(&text, 150);
        let (rest, now) = (
            &simulation.model().points.rest,
            &simulation.state().positions,
        );
        // The mean over the end: tetrahedra distribute their mass unevenly among its nodes.
        let end = rest.iter().zip(now).filter(|(a, _)| a.x > 0.099);
        end.map(|(a, b)| b.x - a.x).sum::<f64>() / 4.0
    };
    // ρ g L²/(2 E) of the continuum; linear elements are exact at their nodes, with the end's half mass lumped on it.
    let exact = 1000.0 * 5.0 * 0.04 / 2e5;
    for mesh in ["cuboid", "hexahedra"] {
        let error = (hang(mesh) / exact - 1.0).abs();
        assert!(error < 0.02, "{mesh}: {error}");
    }
    let [tets, hexes] =
        ["cuboid", "hexahedra"].map(|mesh| sag(&run(BEAM.replace("cuboid", mesh).as_str(), 150)));
    assert!(hexes > 1.05 * tets, "{hexes} {tets}");
}

/// A box filled with hexahedra bends like a box of them, and its tetrahedra lock.
#[test]
fn a_filled_box_bends_like_its_hexahedra() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("beam.obj");
    let surface = impinge_geometry::mesh::generate::cuboid_surface([0.2, 0.05, 0.05]);
    let surface = surface.expect("a box");
    impinge_geometry::io::write_triangle_mesh(&path, &surface).expect("written");
    let path = path.display();
    let filled = |kind: &str| {
        let filled = format!("filled = {{ path = \"{path}\", kind = \"{kind}\", size = 0.05 }}");
        let cells = "cuboid = { size = [0.2, 0.05, 0.05], cells = [4, 1, 1] }";
        sag(&run(&BEAM.replace(cells, &filled), 150))
    };
    let hexahedra = sag(&run(&with("hexahedra", "formulation = \"stiffness\""), 150));
    let (same, locked) = (filled("hexahedra"), filled("tetrahedra"));
    assert!((same / hexahedra - 1.0).abs() < 1e-6, "{same} {hexahedra}");
    assert!(locked < 0.95 * same, "{locked} {same}");
    let meshless = with("cuboid", "meshless = 0.06").replace(
        "cuboid = { size = [0.2, 0.05, 0.05], cells = [4, 1, 1] }",
        &format!("filled = {{ path = \"{path}\", kind = \"hexahedra\", size = 0.05 }}"),
    );
    assert!(refused(&meshless).contains("not without elements"));
}

/// A free block conserves momentum and comes to rest on the ground.
#[test]
fn a_block_of_hexahedra_lands() {
    for form in ["stiffness", "compliance"] {
        let text = with("hexahedra", &format!("formulation = \"{form}\"")).replace(
            "fixed = [{ box = { lower = [-0.11, -1, -1], upper = [-0.099, 1, 1] } }]",
            "position = [0, 0, 0.03]",
        ) + "\n[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";
        let mut simulation = run(&text, 60);
        let report = simulation.advance().expect("solved");
        let weight = 1000.0 * 0.2 * 0.05 * 0.05 * 9.81;
        assert!(
            (report.contact_force[2] / weight - 1.0).abs() < 1e-3,
            "{form}: {:?}",
            report.contact_force
        );
        assert!(
            report.kinetic_energy < 1e-8,
            "{form}: {}",
            report.kinetic_energy
        );
    }
}

/// The conjugate-residual method supports hexahedra in stiffness form, as it does tetrahedra.
#[test]
fn hexahedra_in_stiffness_form_take_any_method() {
    let kkt = with("hexahedra", "formulation = \"stiffness\"");
    let cr = kkt.replace("method = \"compliant-kkt\"", "method = \"cr\"");
    let error = apart(&run(&kkt, 20), &run(&cr, 20));
    assert!(error < 1e-6, "{error:e}");
}

/// A plastic bar stays bent without gravity; an elastic one springs back.
#[test]
fn a_plastic_beam_stays_bent() {
    let bent = |keys: &str| {
        let text = with("cuboid", keys);
        let loaded = run(&text, 100);
        let light = text.replace("[solver]", "[world]\ngravity = [0, 0, 0]\n\n[solver]");
        let (model, state, _) = run_on(&light, loaded.state(), 150);
        let fall = model.points.rest.iter().zip(&state.positions);
        let left = fall.map(|(a, b)| a.z - b.z).fold(0.0, f64::max);
        [sag(&loaded), left]
    };
    for form in ["stiffness", "compliance"] {
        let [loaded, elastic] = bent(&format!("formulation = \"{form}\""));
        assert!(
            loaded > 0.01 && elastic < 1e-3 * loaded,
            "{form}: {loaded} {elastic}"
        );
        let [loaded, plastic] = bent(&format!("formulation = \"{form}\", yield_stress = 2e3"));
        assert!(plastic > 0.2 * loaded, "{form}: {loaded} {plastic}");
    }
}

/// Smallest and largest von Mises stress in a frame (Pa).
fn shown(simulation: &Simulation) -> [f64; 2] {
    let frame = Frame::capture(simulation.model(), simulation.state());
    let least = frame
        .von_mises
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    [least, frame.von_mises.iter().copied().fold(0.0, f64::max)]
}

/// A bar that is stretched by 12 %, beyond a yield strain of 2 %, shows its yield stress everywhere, not `E ε`. Brought
/// back to its length, it shows its residual stress, not that of its shape.
#[test]
fn a_yielded_bar_shows_its_yield_stress() {
    for (mesh, keys) in [
        ("cuboid", "formulation = \"stiffness\""),
        ("cuboid", "formulation = \"compliance\""),
        ("cuboid", "meshless = 0.065"),
        ("hexahedra", "formulation = \"stiffness\""),
        ("hexahedra", "formulation = \"compliance\""),
    ] {
        let text = with(mesh, &format!("{keys}, yield_stress = 2e3"))
            .replace("[solver]", "[world]\ngravity = [0, 0, 0]\n\n[solver]")
            .replace(
                "fixed = [",
                "fixed = [{ box = { lower = [0.099, -1, -1], upper = [0.11, 1, 1] }, \
                 motion = { velocity = [0.06, 0, 0], then = [{ at = 0.4, velocity = [-0.06, 0, 0] }, { at = 0.8 }] } \
                 }, ",
            );
        let pulled = run(&text, 40);
        let [least, most] = shown(&pulled);
        assert!(most <= 2e3 * (1.0 + 1e-12), "{mesh} {keys}: {most}");
        assert!(most > 0.99 * 2e3, "{mesh} {keys}: {most}");
        // Meshless bodies do not hold their ends exactly, so their strain is uneven.
        let evenly = !keys.contains("meshless");
        assert!(!evenly || least > 0.99 * 2e3, "{mesh} {keys}: {least}");
        // It is not at rest yet.
        let back = run(&text, 85);
        let [least, most] = shown(&back);
        assert!(
            most <= 2e3 * (1.0 + 1e-12) && (!evenly || least > 0.25 * 2e3),
            "{mesh} {keys}: {least} {most}"
        );
    }
}

/// Without plastic flow, the stress of a stretched bar is that of its law in all forms: the closed forms at the stretch
/// λ without a Poisson effect.
#[test]
fn a_pulled_bar_shows_the_stress_of_its_law() {
    let stretch = 1.2_f64;
    for (model, expected) in [
        // E (λ − 1), and the Cauchy stress P λ/J = P of the others.
        ("corotational", 1e5 * (stretch - 1.0)),
        (
            "st_venant_kirchhoff",
            1e5 * 0.5 * (stretch * stretch - 1.0) * stretch,
        ),
        ("neo_hookean", 5e4 * (stretch - 1.0 / stretch)),
    ] {
        for (mesh, keys) in [
            ("cuboid", "formulation = \"stiffness\""),
            ("cuboid", "formulation = \"compliance\""),
            ("cuboid", "meshless = 0.065"),
            ("hexahedra", "formulation = \"stiffness\""),
            ("hexahedra", "formulation = \"compliance\""),
        ] {
            let text = with(mesh, &format!("model = \"{model}\", {keys}"))
                .replace("poisson = 0.3", "poisson = 0")
                .replace("[solver]", "[world]\ngravity = [0, 0, 0]\n\n[solver]");
            let (model_of, mut state) = Model::new(&scene(&text)).expect("sound");
            for x in &mut state.positions {
                x.x *= stretch;
            }
            let frame = Frame::capture(&model_of, &state);
            for stress in frame.von_mises {
                let error = (stress / expected - 1.0).abs();
                assert!(error < 1e-9, "{model} {mesh} {keys}: {stress} {expected}");
            }
        }
    }
}

/// The state is complete: a resumed run continues bit for bit.
#[test]
fn plastic_strain_is_part_of_the_state() {
    let text = with("cuboid", "formulation = \"compliance\", yield_stress = 2e3");
    let first = run(&text, 20);
    let flowed = first.state().plastic_strains.iter().any(|x| x.abs() > 1e-6);
    assert!(flowed);
    let (_, again, _) = run_on(&text, first.state(), 5);
    assert_eq!(run(&text, 25).state(), &again);
}

/// A sheet stretched along its fibre is as stiff as the fibre, across it as soft as its matrix; equal moduli act like
/// no fibre.
#[test]
fn an_orthotropic_sheet_stretches_as_its_moduli_say() {
    let pulled = |mesh: &str, keys: &str| {
        let text = format!(
            r#"
[world]
gravity = [0, 0, 0]

[solver]
method = "compliant-kkt"

[time]
step = 1e-2
duration = 1.0

[[body]]
name = "patch"
kind = "shell"
mesh = {{ {mesh} = {{ size = [1, 1], cells = [4, 4] }} }}
shell = {{ stretch = 1e4, density = 0.1, {keys} formulation = "compliance" }}
fixed = [
  {{ box = {{ lower = [-0.51, -1, -1], upper = [-0.49, 1, 1] }} }},
  {{ box = {{ lower = [0.49, -1, -1], upper = [0.51, 1, 1] }}, motion = {{ velocity = [0.02, 0, 0] }} }},
]
"#
        );
        let mut simulation = run(&text, 99);
        let report = simulation.advance().expect("solved");
        (simulation, report.elastic_energy)
    };
    let same = "poisson = 0.25, orthotropic = { fibre = [1, 0, 0], across = 1e4, shear = 4e3 },";
    let (plain, _) = pulled("quadrilaterals", "poisson = 0.25,");
    let (isotropic, _) = pulled("quadrilaterals", same);
    let error = apart(&plain, &isotropic);
    assert!(error < 1e-9, "{error:e}");
    for mesh in ["quadrilaterals", "grid"] {
        let fibre = |along: &str| {
            let keys = format!(
                "poisson = 0.0, orthotropic = {{ fibre = {along}, across = 2e3, shear = 1e3 }},"
            );
            pulled(mesh, &keys).1
        };
        // ½ E t ε² A with the Green strain ε = 0.02 + 0.0002; without a Poisson's ratio the sides cause no stress.
        let expected = 0.5 * 1e4 * 0.0202_f64.powi(2);
        let [along, across] = ["[1, 0, 0]", "[0, 1, 0]"].map(fibre);
        assert!((along / expected - 1.0).abs() < 1e-3, "{mesh}: {along} J");
        assert!(
            (across / (0.2 * expected) - 1.0).abs() < 1e-3,
            "{mesh}: {across} J"
        );
    }
}

/// Inconsistent settings are rejected with their place and a remedy.
#[test]
fn inconsistent_settings_are_rejected() {
    for (text, wants) in [
        (
            with("hexahedra", "meshless = 0.1"),
            "not supported for hexahedra",
        ),
        (
            with("cuboid", "meshless = 0.001"),
            "the radius is too small for the mesh of `beam`: fewer than four nodes",
        ),
        (
            with("cuboid", "model = \"neo_hookean\", yield_stress = 1e3"),
            "for the corotational model only",
        ),
        (with("cuboid", "yield_stress = -1"), "yield stress"),
        (
            with("cuboid", "extrapolation_below = 0.5"),
            "for the neo-Hookean model only",
        ),
        (
            with("cuboid", "model = \"neo_hookean\", extrapolation_below = 1"),
            "the volume ratio is 1",
        ),
        (
            with("cuboid", "formulation = \"compliance\"").replace("compliant-kkt", "ica"),
            "compliance form",
        ),
        (
            with("hexahedra", "formulation = \"stiffness\"")
                .replace("[time]", "[asynchronous]\nthickness = 1e-3\n\n[time]")
                .replacen(
                    "[solver]\nmethod = \"compliant-kkt\"\nmomentum_tolerance = 1e-9",
                    "stepper = \"asynchronous\"",
                    1,
                )
                .replace(", stiffness_damping = 0.05", ""),
            "the asynchronous stepper supports elastic tetrahedra",
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains(wants), "{wants}: {message}");
        assert!(message.contains("beam.toml:"), "{message}");
    }
}

/// A mesh file of hexahedra gives the same body as generated cells, whatever its node numbering.
#[test]
fn hexahedra_come_from_files() {
    use impinge_geometry::mesh::generate;
    use std::fmt::Write;
    let box_of = generate::cuboid([0.2, 0.05, 0.05], [4, 1, 1]).expect("sound");
    let count = box_of.nodes().len() as u32;
    let new = |node: u32| (node * 7 + 3) % count;
    let mut points = vec![String::new(); count as usize];
    for (node, x) in (0..).zip(box_of.nodes()) {
        points[new(node) as usize] = format!("{} {} {}\n", x.x, x.y, x.z);
    }
    let mut cells = String::new();
    for cell in generate::cuboid_cells([4, 1, 1]) {
        let corners = cell.map(|node| new(node).to_string()).join(" ");
        writeln!(cells, "8 {corners}").expect("memory");
    }
    let file = format!(
        "# vtk DataFile Version 2.0\nbeam\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {count} double\n{}CELLS 4 \
         36\n{cells}CELL_TYPES 4\n12\n12\n12\n12\n",
        points.concat()
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("beam.vtk");
    std::fs::write(&path, file).expect("a writable temporary folder");
    let from_file = |keys: &str| {
        let mesh = format!("mesh = {{ file = {{ path = '{}' }} }}", path.display());
        with("hexahedra", keys).replace(
            "mesh = { hexahedra = { size = [0.2, 0.05, 0.05], cells = [4, 1, 1] } }",
            &mesh,
        )
    };
    for model in MODELS {
        let keys = format!("model = \"{model}\"");
        let (read, made) = (
            run(&from_file(&keys), 20),
            run(&with("hexahedra", &keys), 20),
        );
        assert!(sag(&made) > 1e-3);
        assert!((sag(&read) / sag(&made) - 1.0).abs() < 1e-6, "{model}");
    }
    let message = refused(&from_file("meshless = 0.1"));
    assert!(
        message.contains("hexahedra") && message.contains("`meshless`"),
        "{message}"
    );
}
