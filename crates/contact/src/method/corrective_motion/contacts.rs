//! The contacts of a solve, with the Delassus operator in the form of the settings.

use super::assembled::Assembled;
use super::compliance::Compliance;
use super::contact_nodes::ContactNodes;
use super::matrix_free::MatrixFree;
use super::operator::DelassusOperator;
use super::row_cache::RowCache;
use super::settings::DelassusForm;
use crate::delassus::BlockRows;

/// Contact nodes, `W`, and the contacts that share nodes.
pub(super) struct Contacts {
    pub(super) nodes: ContactNodes,
    pub(super) form: Form,
    pub(super) neighbours: Vec<Vec<u32>>,
}

/// `W` in the form of the settings.
pub(super) enum Form {
    Assembled(Assembled),
    MatrixFree(MatrixFree),
}

impl Contacts {
    pub(super) fn new(
        nodes: ContactNodes,
        form: DelassusForm,
        compliance: &mut dyn Compliance,
        cache: &mut RowCache,
    ) -> Self {
        Self {
            form: match form {
                DelassusForm::Assembled => {
                    Form::Assembled(Assembled::new(&nodes, compliance, cache))
                }
                DelassusForm::MatrixFree => Form::MatrixFree(MatrixFree::new(&nodes, compliance)),
            },
            neighbours: nodes.neighbours(),
            nodes,
        }
    }

    /// The blocks of `W`, for both forms.
    pub(super) fn matrix(&self, compliance: &mut dyn Compliance) -> BlockRows {
        match &self.form {
            Form::Assembled(built) => built.w.clone(),
            Form::MatrixFree(_) => {
                Assembled::new(&self.nodes, compliance, &mut RowCache::default()).w
            }
        }
    }
}

impl Form {
    pub(super) fn delassus(&mut self) -> &mut dyn DelassusOperator {
        match self {
            Self::Assembled(built) => built,
            Self::MatrixFree(unbuilt) => unbuilt,
        }
    }
}
