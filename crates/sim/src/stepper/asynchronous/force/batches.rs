//! Clocks of elastic terms, and batches of terms with equal clocks.

use super::batch::{Batch, Placed};
use super::terms::{DampedHinge, DampedSpring, SolidTet, Term};
use super::{ClockedForce, ForceKind};
use crate::stepper::asynchronous::clock::nested_period;
use impinge_fem::ElasticModel;
use impinge_fem::thin::{EdgeSpring, Hinge, Membrane};
use nalgebra::Vector3;

/// Largest share of a relative velocity along an edge, or of a rate of strain or bending, that damping removes in one
/// tick.
const MAX_DAMPED: f64 = 0.5;

/// All elastic terms of some bodies.
#[derive(Clone, Copy, Debug)]
pub struct ElasticTerms<'a> {
    /// Springs along edges, each group with its stiffness-proportional damping (s, not negative).
    pub springs: &'a [(f64, Vec<EdgeSpring>)],
    /// Triangles.
    pub membranes: &'a [Membrane],
    /// Hinges, each group with its stiffness-proportional damping (s, not negative).
    pub hinges: &'a [(f64, Vec<Hinge>)],
    /// Tetrahedra, with their stiffness-proportional damping.
    pub solids: Option<&'a ElasticModel>,
    /// Positions of all points at rest (m).
    pub rest: &'a [Vector3<f64>],
    /// Masses of all points (kg), infinite for prescribed points.
    pub masses: &'a [f64],
    /// `h ω`, at most: periods over the time scale of the stiffest motion of each kind of term at rest (1). Stability
    /// alone requires less than 2. The margin covers the sum of the kinds, elements that are stiffer when stretched or
    /// crumpled than at rest, and the energy error.
    pub force_step: f64,
    /// Longest period (s); the others are this one divided by powers of two.
    pub longest_period: f64,
}

/// A term with its longest admissible period.
struct Dated<T, const N: usize> {
    period: f64,
    points: [u32; N],
    term: T,
}

impl ElasticTerms<'_> {
    /// All terms, batched by kind and clock. `fastest` has the shortest period of other forces at each point (s). Each
    /// term takes the clock of the fastest one at its points; then `fastest` has the shortest period of all.
    ///
    /// # Panics
    /// If a term has a point without a mass or rest position, or `fastest` is not one per point.
    pub fn batches(&self, fastest: &mut [f64]) -> Vec<Box<dyn ClockedForce>> {
        let mut springs = self.dated_springs();
        let mut membranes = self.dated_membranes();
        let mut hinges = self.dated_hinges();
        let mut tets = self.dated_tets();

        note(&springs, fastest);
        note(&membranes, fastest);
        note(&hinges, fastest);
        note(&tets, fastest);
        keep_up(&mut springs, fastest);
        keep_up(&mut membranes, fastest);
        keep_up(&mut hinges, fastest);
        keep_up(&mut tets, fastest);
        note(&springs, fastest);
        note(&membranes, fastest);
        note(&hinges, fastest);
        note(&tets, fastest);

        let mut batches: Vec<Box<dyn ClockedForce>> = Vec::new();
        self.group(springs, &mut batches);
        self.group(membranes, &mut batches);
        self.group(hinges, &mut batches);
        self.group(tets, &mut batches);
        batches
    }

    /// The kind of the term with the shortest period of its own, the first of equal ones, and this period (s). Other
    /// terms at its points use it too.
    ///
    /// # Panics
    /// As [`batches`](Self::batches).
    pub fn fastest(&self) -> Option<(ForceKind, f64)> {
        let by_kind = [
            (ForceKind::Spring, shortest(&self.dated_springs())),
            (ForceKind::Membrane, shortest(&self.dated_membranes())),
            (ForceKind::Hinge, shortest(&self.dated_hinges())),
            (ForceKind::Tet, shortest(&self.dated_tets())),
        ];
        let known = by_kind
            .into_iter()
            .filter_map(|(kind, period)| Some((kind, period?)));
        known.min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Batches by period, longest first, which preserve the order of the terms.
    fn group<T: Term<N> + 'static, const N: usize>(
        &self,
        terms: Vec<Dated<T, N>>,
        batches: &mut Vec<Box<dyn ClockedForce>>,
    ) {
        let mut groups: Vec<(f64, Vec<Placed<T, N>>)> = Vec::new();
        for Dated {
            period,
            points,
            term,
        } in terms
        {
            let known = groups
                .iter_mut()
                .find(|(known, _)| known.to_bits() == period.to_bits());
            match known {
                Some((_, members)) => members.push((points, term)),
                None => groups.push((period, vec![(points, term)])),
            }
        }
        groups.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (period, terms) in groups {
            batches.push(Box::new(Batch::new(period, terms, self.rest)));
        }
    }

    fn period(&self, frequency_squared: f64) -> f64 {
        nested_period(
            self.longest_period,
            self.force_step / frequency_squared.sqrt(),
        )
    }

    fn dated_springs(&self) -> Vec<Dated<DampedSpring, 2>> {
        let all = || {
            self.springs
                .iter()
                .flat_map(|(damping, springs)| springs.iter().map(move |spring| (*damping, spring)))
        };
        let shares = Shares::new(self.masses, all().map(|(_, term)| term.points));
        let date = |(damping, spring): (f64, &EdgeSpring)| {
            let shared = shares.of(&spring.points);
            let period = self.period(spring.frequency_squared(shared));
            let damping = damping * spring.stiffness / spring.rest_length;
            let mobility = 1.0 / shared[0] + 1.0 / shared[1];
            Dated {
                period: damped_period(period, damping * mobility),
                points: spring.points,
                term: DampedSpring {
                    spring: *spring,
                    damping,
                },
            }
        };
        all().map(date).collect()
    }

    fn dated_membranes(&self) -> Vec<Dated<Membrane, 3>> {
        let shares = Shares::new(self.masses, self.membranes.iter().map(|term| term.points));
        let date = |term: &Membrane| Dated {
            period: self.period(term.frequency_squared(shares.of(&term.points))),
            points: term.points,
            term: *term,
        };
        self.membranes.iter().map(date).collect()
    }

    fn dated_hinges(&self) -> Vec<Dated<DampedHinge, 4>> {
        let all = || {
            self.hinges
                .iter()
                .flat_map(|(damping, hinges)| hinges.iter().map(move |hinge| (*damping, hinge)))
        };
        let shares = Shares::new(self.masses, all().map(|(_, term)| term.points));
        let date = |(damping, hinge): (f64, &Hinge)| {
            let at = hinge.points.map(|point| self.rest[point as usize]);
            let square = hinge.frequency_squared(&at, shares.of(&hinge.points));
            Dated {
                period: damped_period(self.period(square), damping * square),
                points: hinge.points,
                term: DampedHinge {
                    hinge: *hinge,
                    damping,
                },
            }
        };
        all().map(date).collect()
    }

    /// `ω² ≤ (λ + 2μ) V Σ |∇N_a|² / m_a` at rest, since a block of the stiffness is at most `(λ + 2μ) V |∇N_a| |∇N_b|`.
    fn dated_tets(&self) -> Vec<Dated<SolidTet, 4>> {
        let Some(model) = self.solids else {
            return Vec::new();
        };
        let elements = model.elements();
        let shares = Shares::new(self.masses, elements.iter().map(|element| element.nodes));
        let date = |(index, element): (usize, &impinge_fem::TetElement)| {
            let material = model.material(index).clone();
            let lame = material.lame();
            let mobility: f64 = element
                .shape_gradients
                .iter()
                .zip(shares.of(&element.nodes))
                .map(|(gradient, mass)| gradient.norm_squared() / mass)
                .sum();
            let stiffness = lame.first() + 2.0 * lame.shear_modulus();
            let square = stiffness * element.volume * mobility;
            let damping = model.damping(index).stiffness();
            Dated {
                period: damped_period(self.period(square), damping * square),
                points: element.nodes,
                term: SolidTet {
                    element: *element,
                    material,
                    damping,
                },
            }
        };
        elements.iter().enumerate().map(date).collect()
    }
}

/// The period of a term whose damping reduces relative velocity at `rate` (1/s).
fn damped_period(period: f64, rate: f64) -> f64 {
    if rate > 0.0 {
        nested_period(period, MAX_DAMPED / rate)
    } else {
        period
    }
}

/// Mass of each point over the number of its terms (kg); infinite for prescribed points.
struct Shares<'a> {
    masses: &'a [f64],
    users: Vec<u32>,
}

impl<'a> Shares<'a> {
    fn new<const N: usize>(masses: &'a [f64], terms: impl Iterator<Item = [u32; N]>) -> Self {
        let mut users = vec![0; masses.len()];
        for point in terms.flatten() {
            users[point as usize] += 1;
        }
        Self { masses, users }
    }

    fn of<const N: usize>(&self, points: &[u32; N]) -> [f64; N] {
        points.map(|point| {
            let point = point as usize;
            self.masses[point] / f64::from(self.users[point])
        })
    }
}

fn shortest<T, const N: usize>(terms: &[Dated<T, N>]) -> Option<f64> {
    let periods = terms.iter().map(|term| term.period);
    periods.min_by(f64::total_cmp)
}

/// Lowers the shortest period of each point to that of its terms.
fn note<T, const N: usize>(terms: &[Dated<T, N>], fastest: &mut [f64]) {
    for term in terms {
        for &point in &term.points {
            let least = &mut fastest[point as usize];
            *least = least.min(term.period);
        }
    }
}

/// Gives each term the clock of the fastest term at its points.
///
/// Two clocks that are stable alone may be unstable together: a slow force resonates with a fast one near half of its
/// period (`h_slow = π/ω_fast`), and at similar periods where a crumpled sheet stiffens. More ticks cost little
/// compared with collision detection.
fn keep_up<T, const N: usize>(terms: &mut [Dated<T, N>], fastest: &[f64]) {
    for term in terms {
        let of_points = term.points.iter().map(|&point| fastest[point as usize]);
        term.period = of_points.fold(term.period, f64::min);
    }
}
