import * as z from 'zod/mini'
import { endpoint, json, text } from './endpoint.ts'
import { preferenceKeyFault } from './preference-key.ts'

/** At most this many preferences for a person; one more is refused with 409 `preference-limit`. */
export const maxPreferences = 500
/** At most this many bytes of UTF-8 in a value; more is refused with 413. */
export const maxValueBytes = 64 * 1024

/** A key of the app's choosing; its case counts. */
export const PreferenceKey = z.string().check(
  z.normalize('NFC'),
  z.refine((key) => preferenceKeyFault(key) === undefined, {
    error: ({ input }) => preferenceKeyFault(String(input)),
    params: { code: 'preference-key-invalid' },
  }),
)

/** A setting that a person lets an app remember. */
export const Preference = z.object({ key: PreferenceKey, value: z.string() }).check(z.meta({ id: 'Preference' }))
export type Preference = z.infer<typeof Preference>

/** `me` is the caller; only an administrator may name someone else. */
const owner = z.object({ userId: z.string() })
const one = z.extend(owner, { key: PreferenceKey })

export const listPreferences = endpoint('GET', '/passport/preferences/{userId}', {
  summary: 'List preferences by key',
  access: 'signedIn',
  bearer: true,
  params: owner,
  returns: json(z.array(Preference)),
  fails: [404],
})
export const getPreference = endpoint('GET', '/passport/preferences/{userId}/{key...}', {
  summary: 'Get the value of one preference',
  access: 'signedIn',
  bearer: true,
  params: one,
  returns: text(z.string()),
  conditional: true,
  fails: [404],
})
/** An empty value deletes: a preference that is there always has one. */
export const putPreference = endpoint('PUT', '/passport/preferences/{userId}/{key...}', {
  summary: 'Save the value of one preference; an empty one deletes it',
  access: 'signedIn',
  bearer: true,
  params: one,
  // Each byte of a value may come as an escape of six.
  body: text(z.string(), { maxBytes: 6 * maxValueBytes + 1024 }),
  conditional: true,
  fails: [404, 409],
})
export const deletePreference = endpoint('DELETE', '/passport/preferences/{userId}/{key...}', {
  summary: 'Delete one preference; it need not be there',
  access: 'signedIn',
  bearer: true,
  params: one,
  conditional: true,
  fails: [404],
})
