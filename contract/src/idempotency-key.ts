import * as z from 'zod/mini'

/** Identifies one creating call, so that the client can retry it safely: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = z
  .string()
  .check(z.minLength(1), z.maxLength(255), z.regex(/^[ -~]*$/, 'Must contain only printable ASCII characters.'))

/** The cause and remedy of a 409 to a call with an `Idempotency-Key`, by the code of the problem. */
export const idempotencyErrors = {
  'idempotency-mismatch': {
    meaning: 'This Idempotency-Key was used for a different call.',
    remedy: 'Use a new key.',
  },
  'idempotency-in-progress': {
    meaning: 'The first call with this Idempotency-Key is still in progress.',
    remedy: 'Try again soon.',
  },
  'idempotency-unknown': {
    meaning: 'The first call with this Idempotency-Key was interrupted.',
    remedy: 'Check whether it succeeded; if not, use a new key.',
  },
  'idempotency-answer-too-large': {
    meaning: 'The first call succeeded, but its response was too large to store.',
    remedy: 'Read the created resource.',
  },
} as const
