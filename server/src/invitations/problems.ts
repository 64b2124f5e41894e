import { problem } from '../http/problem.ts'

export const invitationNotFound = problem(404, 'invitation-not-found', {
  meaning: 'Invitation not found.',
  remedy: 'List the invitations again.',
})
export const accepted = problem(409, 'invitation-accepted', {
  meaning: 'This invitation has been accepted.',
  remedy: 'Change the user instead.',
})
export const revoked = problem(409, 'invitation-revoked', {
  meaning: 'This invitation has been revoked.',
  remedy: 'Create a new one.',
  showRemedy: true,
})
export const waiting = problem(409, 'invitation-waiting', {
  meaning: 'An invitation to this address already exists.',
  remedy: 'Resend or revoke it.',
  showRemedy: true,
  field: 'email',
})
export const claimantChanged = problem(409, 'claimant-changed', {
  meaning: 'The claim on this invitation has changed.',
  remedy: 'Reload and try again.',
  showRemedy: true,
})
export const claimantGone = problem(409, 'claimant-gone', {
  meaning: 'The account of this user is disabled or deleted.',
  remedy: 'Enable or restore the user, or revoke the invitation.',
})
