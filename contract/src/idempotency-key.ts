import * as z from 'zod/mini'

/** The name that a client gives one call that creates, so that it may send it again: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = z
  .string()
  .check(z.minLength(1), z.maxLength(255), z.regex(/^[ -~]*$/, 'Has only printable ASCII characters.'))

/** Why a call with an `Idempotency-Key` is neither done nor answered as the first was (409), under the code of the problem. */
export const idempotencyFaults = {
  'idempotency-mismatch': 'This Idempotency-Key was sent with another call. Take a new one.',
  'idempotency-in-progress': 'The first call with this Idempotency-Key is not answered yet. Ask again soon.',
  'idempotency-unknown':
    'The first call with this Idempotency-Key was cut short. Look whether it was done, and take a new one if it was not.',
  'idempotency-answer-too-large': 'This was done, and its answer was too large to keep. Look at what was made.',
} as const
