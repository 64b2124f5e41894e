import { type ProblemDetails, problem } from '../http/problem.ts'

export const codeNotFound = problem(404, 'device-code-not-found', {
  meaning: 'Code not found.',
  remedy: 'Check the code on your device.',
  showRemedy: true,
})
export const pinNotRequired = problem(404, 'device-code-not-found', {
  meaning: 'This code does not require a PIN.',
  remedy: 'Poll the token endpoint.',
})
export const codeExpired = problem(410, 'device-code-expired', {
  meaning: 'The code has expired.',
  remedy: 'Start again on your device.',
  showRemedy: true,
})
export const codeDecided = problem(409, 'device-code-used', {
  meaning: 'You have already approved or denied this device.',
  remedy: 'Start again on your device for another sign-in.',
  details: (decision: string) => ({ detail: `You have already ${decision} this device.` }),
})
export const pinEntered = problem(409, 'device-code-used', {
  meaning: 'The PIN was already entered.',
  remedy: 'Poll the token endpoint.',
})
export const notDecided = problem(409, 'device-code-pending', {
  meaning: 'The device has not been approved yet.',
  remedy: 'Approve it in a browser first. A PIN that is sent earlier is not checked.',
})
export const denied = problem(409, 'device-code-denied', {
  meaning: 'The device authorization was denied.',
  remedy: 'Start again on your device.',
})
/** Thrown after the last wrong guess. */
export const attemptsExhausted = problem(409, 'device-code-denied', {
  meaning: 'The number or the PIN was wrong three times. The device authorization was denied.',
  remedy: 'Start again on your device.',
  details: (factor: 'number' | 'PIN') => ({
    detail: `The ${factor} was wrong three times. The device authorization was denied.`,
  }),
})

/** Creates the details of a wrong guess that was not the last one; `attemptsLeft` is for programs. */
const createGuessDetails = (field: string, code: string, attemptsLeft: number): ProblemDetails => ({
  errors: [{ field, code, message: `${attemptsLeft} ${attemptsLeft === 1 ? 'attempt' : 'attempts'} left` }],
  members: { attemptsLeft },
})
export const wrongNumber = problem(400, 'match-wrong', {
  meaning: 'Wrong number.',
  remedy: 'Enter the number shown on the device.',
  showRemedy: true,
  details: (attemptsLeft: number) => createGuessDetails('match', 'match-wrong', attemptsLeft),
})
export const wrongPin = problem(400, 'pin-wrong', {
  meaning: 'Wrong PIN.',
  remedy: 'Enter the PIN shown at the approval.',
  showRemedy: true,
  details: (attemptsLeft: number) => createGuessDetails('pin', 'pin-wrong', attemptsLeft),
})
