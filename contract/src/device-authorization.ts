import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/** How long before the person must prove anew who they are. */
export const maxAuthenticationAgeHours = 12

/** How many digits the PIN has. */
export const pinDigits = 4

const status = z.enum(['pending', 'approved', 'denied'])

/** A request to sign a device in, as the person is shown who may let it in (RFC 8628, section 3.3). */
export const DeviceAuthorization = z
  .object({
    userCode: z.string(),
    status,
    client: z.object({ id: z.string(), name: z.string(), logoUrl: z.nullable(z.string()) }),
    scopes: z.array(z.object({ name: z.string(), description: z.string() })),
    requestedAt: Instant,
    expiresAt: Instant,
    /**
     * The device: its program, the network it asks from, and what that and the caller's own tell of how far apart they
     * are. `same-range` is as one provider has; IPv4 and IPv6 are `not-comparable`.
     */
    device: z.object({
      description: z.string(),
      ipAddress: z.string(),
      location: z.nullable(z.string()),
      sameNetwork: z.boolean(),
      distance: z.enum(['same-network', 'same-range', 'another-network', 'not-comparable']),
      callerNetwork: z.string(),
    }),
    /** Whether the number that the device shows must be typed, and how often one may be wrong. */
    match: z.object({
      required: z.boolean(),
      kind: z.literal('number'),
      digits: z.int(),
      attemptsLeft: z.int(),
    }),
    /** Whether the caller is told a PIN after approving, which must then be typed on the device. */
    pin: z.object({ required: z.boolean(), digits: z.int() }),
  })
  .check(z.meta({ id: 'DeviceAuthorization' }))
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>

const UserCode = z.string().check(z.maxLength(64))

/** The code counts in any case, with or without its dash. Looking never lets anything in. */
export const getDeviceAuthorization = endpoint('GET', '/passport/deviceauthorization/{code}', {
  summary: 'Tell who asks to be signed in on a device; few wrong codes are looked up',
  access: 'signedIn',
  params: z.object({ code: UserCode }),
  returns: json(DeviceAuthorization),
  fails: [404, 409, 410, 429],
})

/** Lets a device in, or not; the same decision again by the same person changes nothing. */
export const decideDeviceAuthorization = endpoint('POST', '/passport/deviceauthorization', {
  summary: 'Sign a device in, or keep it out',
  access: 'signedIn',
  body: json(
    z.strictObject({
      code: UserCode,
      action: z.enum(['approve', 'deny']),
      /** The number that the device shows, where it must. */
      match: z.optional(z.string()),
      /** May be fewer than the device asked for. */
      scopes: z.optional(z.array(z.string())),
    }),
  ),
  /** The device is in, or, with a PIN, as soon as that was typed on it. */
  returns: json(z.object({ userCode: z.string(), status, pin: z.nullable(z.string()) })),
  fails: [404, 409, 410, 429],
})

/**
 * Request-initiation verification (RFC 10027): shows that whoever approved is at the device. Who calls is known by the
 * device code alone. The tokens come with the next poll.
 */
export const confirmDeviceAuthorization = endpoint('POST', '/passport/deviceauthorization/pin', {
  summary: 'Give the PIN, on the device, that was shown to whoever approved; the third wrong one keeps the device out',
  access: 'anyone',
  body: json(
    z.strictObject({
      deviceCode: z.string().check(z.minLength(1), z.maxLength(256)),
      pin: z.string().check(z.regex(new RegExp(`^\\d{${pinDigits}}$`), { error: `The PIN has ${pinDigits} digits` })),
    }),
  ),
  fails: [404, 409, 410],
  rateLimit: { requests: 120, perSeconds: 60, by: 'address' },
})
