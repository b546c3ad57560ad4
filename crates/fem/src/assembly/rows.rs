//! Division of the rows of the matrix among tasks.
//!
//! A task owns a range of block rows, with their slots and their part of the right-hand side. It visits every element
//! that contributes to one of these rows, in ascending order, and adds only the contributions to its own rows. So every
//! number is the sum of the same terms in the same order for any division: the result does not depend on the number of
//! threads, and no buffer is needed. An element across a cut is computed once on each side, so cuts are placed where
//! few elements cross; none cross between separate bodies.

/// Least number of elements of a task: smaller tasks would repeat too many elements.
const SMALLEST_TASK: usize = 256;
/// Tasks per thread, so that an uneven cut keeps all threads busy.
const TASKS_PER_THREAD: usize = 4;

/// Number of tasks for `elements` elements.
pub(super) fn task_count(elements: usize, threads: usize) -> usize {
    if threads == 1 {
        1
    } else {
        (TASKS_PER_THREAD * threads)
            .min(elements / SMALLEST_TASK)
            .max(1)
    }
}

/// Cuts `rows` rows into at most `tasks` ranges of similar work; returns the first row of each range, then `rows`.
///
/// `spans` are the lowest and the highest row of each element.
pub(super) fn cut(rows: usize, tasks: usize, spans: &[(u32, u32)]) -> Vec<usize> {
    // started[r]: elements whose lowest row is before r. crossing[r]: elements with rows on both sides of a cut at r.
    let mut started = vec![0_usize; rows + 1];
    let mut change = vec![0_isize; rows + 2];
    for &(low, high) in spans {
        started[low as usize + 1] += 1;
        change[low as usize + 1] += 1;
        change[high as usize + 1] -= 1;
    }
    let mut crossing = Vec::with_capacity(rows + 1);
    let mut open = 0;
    for row in 0..=rows {
        open += change[row];
        crossing.push(open);
        if row > 0 {
            started[row] += started[row - 1];
        }
    }
    let mut cuts = vec![0];
    let slack = spans.len() / (4 * tasks);
    for task in 1..tasks {
        let ideal = task * spans.len() / tasks;
        let from = started.partition_point(|&count| count + slack < ideal);
        let until = started.partition_point(|&count| count <= ideal + slack);
        let best = (from..until).min_by_key(|&row| (crossing[row], started[row].abs_diff(ideal)));
        if let Some(row) = best.filter(|&row| row > cuts[cuts.len() - 1] && row < rows) {
            cuts.push(row);
        }
    }
    cuts.push(rows);
    cuts
}
