import * as z from 'zod/mini'

/** Identifies one creating call, so that the client can retry it safely: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = z
  .string()
  .check(z.minLength(1), z.maxLength(255), z.regex(/^[ -~]*$/, 'Must contain only printable ASCII characters.'))

/** Why a call with an `Idempotency-Key` is rejected with 409, keyed by the code of the problem. */
export const idempotencyFaults = {
  'idempotency-mismatch': 'This Idempotency-Key was used for a different call. Use a new key.',
  'idempotency-in-progress': 'The first call with this Idempotency-Key is still in progress. Try again soon.',
  'idempotency-unknown':
    'The first call with this Idempotency-Key was interrupted. Check whether it succeeded; if not, use a new key.',
  'idempotency-answer-too-large':
    'The first call succeeded, but its response was too large to store. Read the created resource.',
} as const
