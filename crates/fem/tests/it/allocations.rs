//! Assembling and measuring allocate nothing.

use crate::support::{Mesh, cuboid, hex_model, materials, model, shaken};
use impinge_fem::{AssemblyScales, ElasticModel, Material, NodalMotion};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::Vector3;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by nature; this one only counts and forwards"
)]
// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    let mesh = cuboid([4, 4, 4], 0.2);
    let x = shaken(&mesh.points, 0.04, 1);
    let still = vec![Vector3::zeros(); x.len()];
    let blocks: Vec<_> = (0..x.len() as u32).map(Some).collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread pool");
    let kinds: [fn(&Mesh, &Material) -> ElasticModel; 2] = [model, hex_model];
    let materials = materials();
    for (material, kind) in materials.iter().flat_map(|of| kinds.map(|kind| (of, kind))) {
        let model = kind(&mesh, material);
        let pattern = Arc::new(BlockPattern::from_pairs(
            x.len(),
            model.block_pairs(&blocks),
        ));
        let counted = pool.install(|| {
            let assembler = model.bind(&pattern, &blocks).expect("the pattern fits");
            let mut matrix = SymmetricBlockMatrix::zeros(pattern.clone());
            let mut rhs = vec![0.0; matrix.len()];
            let mut forces = still.clone();
            let before = COUNT.get();
            assembler.assemble(
                &NodalMotion::new(&x, &still),
                &AssemblyScales::implicit_euler(1e-3),
                &mut matrix,
                &mut rhs,
            );
            assembler.add_mass(&AssemblyScales::implicit_euler(1e-3), &mut matrix);
            model.elastic_force_into(&x, &mut forces);
            let energy = model.energy(&x);
            let least = model.minimum_volume_ratio(&x);
            let inverted = model.inverted_elements(&x);
            assert!(energy > 0.0 && least.is_some() && inverted <= mesh.tets.len());
            COUNT.get() - before
        });
        assert_eq!(counted, 0, "{material:?}");
    }
}
