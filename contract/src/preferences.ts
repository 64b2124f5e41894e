import * as z from 'zod/mini'
import { endpoint, json, text } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { findPreferenceKeyError, normaliseKey } from './preference-key.ts'

/** The maximum number of preferences of a user; one more is rejected with 409 `preference-limit`. */
export const maxPreferences = 500
/** The maximum size of a value in bytes of UTF-8; more is rejected with 413. */
export const maxValueBytes = 64 * 1024

/** A key that the app chooses; case-sensitive. */
export const PreferenceKey = z.string().check(
  z.overwrite(normaliseKey),
  z.refine((key) => findPreferenceKeyError(key) === undefined, {
    error: ({ input }) => findPreferenceKeyError(String(input)),
    params: { code: 'preference-key-invalid' satisfies FieldCode },
  }),
)

/** A setting that an app stores for a user. */
export const Preference = z.object({ key: PreferenceKey, value: z.string() }).check(z.meta({ id: 'Preference' }))
export type Preference = z.infer<typeof Preference>

/** `me` is the caller; only an administrator may name another user. */
const ownerParams = z.object({ userId: z.string() })
const preferenceParams = z.extend(ownerParams, { key: PreferenceKey })

export const listPreferences = endpoint('GET', '/passport/preferences/{userId}', {
  summary: 'List preferences by key',
  access: 'signedIn',
  bearer: true,
  params: ownerParams,
  returns: json(z.array(Preference)),
  fails: [404],
})
export const getPreference = endpoint('GET', '/passport/preferences/{userId}/{key...}', {
  summary: 'Get the value of a preference',
  access: 'signedIn',
  bearer: true,
  params: preferenceParams,
  returns: text(z.string()),
  conditional: true,
  fails: [404],
})
/** An empty value deletes: a stored preference is never empty. */
export const putPreference = endpoint('PUT', '/passport/preferences/{userId}/{key...}', {
  summary: 'Save the value of a preference',
  description: 'An empty value deletes the preference.',
  access: 'signedIn',
  bearer: true,
  params: preferenceParams,
  // A JSON string may escape each byte of the value as six, such as `\u0000`.
  body: text(z.string(), { maxBytes: 6 * maxValueBytes + 1024 }),
  conditional: true,
  fails: [404, 409],
})
export const deletePreference = endpoint('DELETE', '/passport/preferences/{userId}/{key...}', {
  summary: 'Delete a preference',
  description: 'Also succeeds if the preference does not exist.',
  access: 'signedIn',
  bearer: true,
  params: preferenceParams,
  conditional: true,
  fails: [404],
})
