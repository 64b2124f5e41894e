import { problem } from '../http/problem.ts'

export const mailNotConfigured = problem(409, 'mail-not-configured', {
  meaning: 'This server sends no emails.',
  remedy: 'Ask the operator of the server to set SMTP_URL and MAIL_FROM.',
  showRemedy: true,
})
export const ownEmailMissing = problem(409, 'own-email-missing', {
  meaning: 'Your account has no email address.',
  remedy: 'Sign in as a user with an address, or add one to your account.',
  showRemedy: true,
})
export const exampleUnknown = problem(400, 'mail-example-unknown', {
  meaning: 'The kind of email has no such example.',
  remedy: 'Use a name from `examples`, or none.',
  details: () => ({
    errors: [{ field: 'example', code: 'mail-example-unknown', message: 'The kind of email has no such example.' }],
  }),
})
