import { problem } from '../http/problem.ts'

export const loginNotFound = problem(404, 'login-not-found', {
  meaning: 'Login not found.',
  remedy: 'List the logins again. It may have been unlinked.',
})
export const lastLogin = problem(409, 'last-login', {
  meaning: 'This is your only login.',
  remedy: 'Link another one before you unlink it.',
  showRemedy: true,
})
export const consentNotFound = problem(404, 'consent-not-found', {
  meaning: 'Consent not found.',
  remedy: 'List the connected apps again. It may have been revoked.',
})
