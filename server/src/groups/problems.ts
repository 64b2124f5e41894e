import { problem } from '../http/problem.ts'

export const notOwner = problem(403, 'not-group-owner', {
  meaning: 'Only owners of the group can do this.',
  remedy: 'Ask an owner of the group or an administrator.',
})
export const notOrgAdmin = problem(403, 'not-org-admin', {
  meaning: 'Only owners and admins of the organisation can do this.',
  remedy: 'Ask one of them, or create the group without an organisation.',
})
export const nameTaken = problem(409, 'group-name-taken', {
  meaning: 'A group with this name already exists.',
  remedy: 'Choose another name.',
  field: 'name',
})
export const managedExternally = problem(409, 'group-managed-externally', {
  meaning: 'The tenant of an organisation decides who is in this group, so it cannot have a built-in role.',
  remedy:
    'Give the role to another group or to users directly, or to a group without a mapping that SCIM does not manage.',
  showRemedy: true,
})
export const notDeleted = problem(409, 'group-not-deleted', {
  meaning: 'This group is not deleted.',
  remedy: 'Nothing has to be restored.',
})
export const orgDeleted = problem(409, 'org-deleted', {
  meaning: 'The organisation of this group is deleted.',
  remedy: 'Restore it first.',
  showRemedy: true,
})
export const syncResetRequired = problem(410, 'sync-reset-required', {
  meaning: 'Changes since then are no longer available.',
  remedy: 'Read the whole list.',
  showRemedy: true,
})
