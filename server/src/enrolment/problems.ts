import { enrolmentHours } from '@passport/contract/enrolment-hours'
import { problem } from '../http/problem.ts'

// Creating a link.
export const directoryOff = problem(409, 'directory-off', {
  meaning: 'This installation has no built-in directory, so users cannot set passwords here.',
  remedy: 'Invite the user, who signs in with an identity provider.',
  showRemedy: true,
})
export const hasSignIn = problem(409, 'enrolment-has-sign-in', {
  meaning: 'This account has or had a sign-in method, or a provisioning client manages it.',
  remedy: 'The user signs in with that method. An administrator can reset a password of the built-in directory.',
})
export const disabled = problem(409, 'enrolment-disabled', {
  meaning: 'This account is disabled.',
  remedy: 'Enable it first.',
  showRemedy: true,
})
export const nameRequired = problem(409, 'enrolment-name-required', {
  meaning: 'This account has no username or email with which its user could sign in, or another user signs in with it.',
  remedy: 'Give the account a username first.',
  showRemedy: true,
})

// Opening a link.
export const linkUnknown = problem(404, 'enrolment-link-unknown', {
  meaning: 'This link is incomplete or does not exist.',
  remedy: 'Open the whole link that you were given, or ask for a new one.',
  showRemedy: true,
})
export const openedElsewhere = problem(410, 'enrolment-link-opened', {
  meaning: 'This link was opened in another browser, and works only there.',
  remedy: 'If that was not you, report it to the administrator who gave it to you. Otherwise ask for a new one.',
  showRemedy: true,
})
export const used = problem(410, 'enrolment-link-used', {
  meaning: 'This link has been used: the account has a password.',
  remedy: 'Sign in with it.',
  showRemedy: true,
})
export const expired = problem(410, 'enrolment-link-expired', {
  meaning: `This link has expired. Links are valid for ${enrolmentHours} hours.`,
  remedy: 'Ask for a new one.',
  showRemedy: true,
})
export const revoked = problem(410, 'enrolment-link-revoked', {
  meaning: 'This link no longer works: it was replaced or revoked, or the account can be signed in to already.',
  remedy: 'Sign in, or ask for a new link.',
  showRemedy: true,
})
export const linkRequired = problem(401, 'enrolment-link-required', {
  meaning: 'This page needs an enrolment link, and this browser has opened none.',
  remedy: 'Open the link that you were given.',
  showRemedy: true,
})
