import * as z from 'zod/mini'
import { endpoint, json, text } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { findPreferenceKeyError, normaliseKey } from './preference-key.ts'

/** The maximum number of preferences of a user; one more is rejected with 409 `preference-limit`. */
export const maxPreferences = 500
/** The maximum size of a value in bytes of UTF-8; more is rejected with 413. */
export const maxValueBytes = 64 * 1024

/** The maximum number of versions of a key; the oldest is deleted first. */
export const maxVersions = 30
/** The number of days for which a version is kept after it was replaced or deleted. */
export const versionDays = 90
/** The maximum size of a user's history in bytes; the oldest versions are deleted first. */
export const maxHistoryBytes = 8 * 1024 * 1024
/** The least size that a version counts with. */
export const minVersionBytes = 512

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

/** A preference in a list; with `details`, also its ETag without quotes, and the time of its last change. */
export const ListedPreference = z
  .object({ key: PreferenceKey, value: z.string(), version: z.optional(z.string()), savedAt: z.optional(Instant) })
  .check(z.meta({ id: 'ListedPreference' }))
export type ListedPreference = z.infer<typeof ListedPreference>

/** An earlier value of a preference, and the times when it was saved and when it was replaced or deleted. */
export const PreferenceVersion = z
  .object({ value: z.string(), savedAt: Instant, replacedAt: Instant })
  .check(z.meta({ id: 'PreferenceVersion' }))
export type PreferenceVersion = z.infer<typeof PreferenceVersion>

/** A deleted preference with its last value. */
export const DeletedPreference = z
  .object({ key: PreferenceKey, value: z.string(), deletedAt: Instant })
  .check(z.meta({ id: 'DeletedPreference' }))
export type DeletedPreference = z.infer<typeof DeletedPreference>

/** `me` is the caller; only an administrator may name another user. */
const ownerParams = z.object({ userId: z.string() })
const preferenceParams = z.extend(ownerParams, { key: PreferenceKey })
/** The start of the keys, such as `MyApp.`; case-sensitive. */
const prefix = z.optional(z.string().check(z.overwrite(normaliseKey), z.maxLength(256)))

export const listPreferences = endpoint('GET', '/passport/preferences/{userId}', {
  summary: 'List preferences by key',
  access: 'signedIn',
  bearer: true,
  params: ownerParams,
  query: z.object({ prefix, details: z.optional(z.stringbool()) }),
  returns: json(z.array(ListedPreference)),
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

/** The paths have a first segment of their own, because a key may end in any word. */
export const listPreferenceVersions = endpoint('GET', '/passport/preferencehistory/{userId}/{key...}', {
  summary: 'List the earlier values of a preference, newest first',
  description: `Up to ${maxVersions} values of the last ${versionDays} days, also of a deleted preference. To restore one, save it.`,
  access: 'signedIn',
  bearer: true,
  params: preferenceParams,
  returns: json(z.array(PreferenceVersion)),
  fails: [404],
})
export const listDeletedPreferences = endpoint('GET', '/passport/preferencehistory/{userId}', {
  summary: 'List deleted preferences, newest first',
  description: `Up to ${maxPreferences} preferences that were deleted in the last ${versionDays} days.`,
  access: 'signedIn',
  bearer: true,
  params: ownerParams,
  query: z.object({ prefix }),
  returns: json(z.array(DeletedPreference)),
  fails: [404],
})
export const deletePreferenceVersions = endpoint('DELETE', '/passport/preferencehistory/{userId}/{key...}', {
  summary: 'Delete the earlier values of a preference',
  description: 'The current value is kept. Also succeeds if there are none.',
  access: 'signedIn',
  bearer: true,
  params: preferenceParams,
  fails: [404],
})
