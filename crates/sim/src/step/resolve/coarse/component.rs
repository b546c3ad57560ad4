//! Groups of bodies that contacts connect. Each is closed by itself.

use super::link::{BodyBalance, Link};
use impinge_krylov::forest::Forest;

/// Bodies that links connect, and these links.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// The first body that is free.
    pub(super) first: u32,
    /// Bodies, ascending; those that are not free may be in several components.
    pub(super) bodies: Vec<u32>,
    pub(super) links: Vec<usize>,
    /// Whether a free body misses momentum.
    is_open: bool,
}

/// The components of the bodies that are free and of their links, in the order of their first bodies, if a body of them
/// is `open`.
pub(super) fn components(
    balances: &[BodyBalance],
    links: &[Link],
    open: &[bool],
) -> Vec<Component> {
    let free = |link: &Link| {
        let bodies = link.sides.map(|side| side.0).into_iter().take(link.count);
        bodies.filter(|&body| balances[body as usize].is_free())
    };
    let mut forest = Forest::default();
    forest.reset(balances.len());
    for link in links {
        let mut bodies = free(link);
        if let Some(first) = bodies.next() {
            bodies.for_each(|other| forest.unite(first, other));
        }
    }
    let mut numbers = Vec::new();
    let all = forest.number_trees(&mut numbers, |_| true);
    let mut components: Vec<Component> = Vec::new();
    components.resize_with(all, Component::default);
    for (body, &number) in (0..).zip(&numbers) {
        if balances[body as usize].is_free() {
            let component = &mut components[number as usize];
            component.bodies.push(body);
            component.is_open |= open[body as usize];
        }
    }
    for (index, link) in links.iter().enumerate() {
        if let Some(first) = free(link).next() {
            let component = &mut components[numbers[first as usize] as usize];
            if !component.is_open {
                continue;
            }
            component.links.push(index);
            component
                .bodies
                .extend(link.sides().iter().map(|side| side.0));
        }
    }
    // Closed ones have taken no link.
    components.retain(|component| !component.links.is_empty());
    for Component { first, bodies, .. } in &mut components {
        *first = bodies[0];
        bodies.sort_unstable();
        bodies.dedup();
    }
    components
}
