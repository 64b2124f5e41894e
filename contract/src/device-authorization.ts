import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { action } from './request-body.ts'

export const pinDigits = 4

const status = z.enum(['pending', 'approved', 'denied'])

/** A device authorization request as shown to the user who may approve it (RFC 8628, section 3.3). */
export const DeviceAuthorization = z
  .object({
    userCode: z.string(),
    status,
    client: z.object({ id: z.string(), name: z.string(), logoUrl: z.nullable(z.string()) }),
    scopes: z.array(z.object({ name: z.string(), description: z.string() })),
    requestedAt: Instant,
    expiresAt: Instant,
    /**
     * The device: its program, its network, and the distance to the caller's network. `same-range` is the same /16
     * (IPv4) or /32 (IPv6), usually one network operator; with `not-comparable`, one address is IPv4 and the other
     * IPv6.
     */
    device: z.object({
      description: z.string(),
      /** The device's network (CIDR), not its full address. */
      ipAddress: z.string(),
      location: z.nullable(z.string()),
      /** Same as the distance `same-network`. */
      sameNetwork: z.boolean(),
      distance: z.enum(['same-network', 'same-range', 'another-network', 'not-comparable']),
      callerNetwork: z.string(),
    }),
    /** Whether the number shown on the device must be entered, and the number of attempts left. */
    match: z.object({
      required: z.boolean(),
      kind: z.literal('number'),
      digits: z.int(),
      attemptsLeft: z.int(),
    }),
    /** Whether the caller receives a PIN after approval, which must then be entered on the device. */
    pin: z.object({ required: z.boolean(), digits: z.int() }),
  })
  .check(z.meta({ id: 'DeviceAuthorization' }))
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>

const UserCode = z.string().check(z.maxLength(64))

/** The code is case-insensitive; its dash is optional. Reading never approves anything. */
export const getDeviceAuthorization = endpoint('GET', '/passport/deviceauthorization/{code}', {
  summary: 'Get a pending device authorization',
  description: 'Wrong codes are rate limited per caller and per network.',
  access: 'signedIn',
  params: z.object({ code: UserCode }),
  returns: json(DeviceAuthorization),
  fails: [404, 409, 410, 429],
})

/** Approves or denies a device. Repeating a decision as the same user has no effect. */
/** An event of `deviceEventsPath`: the status changed. `none` means that this session has started no request. */
export const DeviceEvent = z.object({
  status: z.enum(['none', 'pending', 'viewed', 'approved', 'denied', 'expired']),
})
export type DeviceEvent = z.infer<typeof DeviceEvent>
/**
 * A stream of server-sent events (HTML, section 9.2) with the status of the latest request that the session of the
 * caller started.
 */
export const deviceEventsPath = '/passport/deviceauthorization/events'

export const decideDeviceAuthorization = endpoint('POST', '/passport/deviceauthorization', {
  summary: 'Approve or deny a device authorization',
  access: 'signedIn',
  recent: { withinMinutes: 12 * 60 },
  body: action(
    z.object({
      code: UserCode,
      action: z.enum(['approve', 'deny']),
      /** The number shown on the device, where required. */
      match: z.optional(z.string()),
      /** May be fewer than the device requested. */
      scopes: z.optional(z.array(z.string())),
    }),
  ),
  /** Approval signs the device in; if a PIN is required, only once the PIN has been entered on the device. */
  returns: json(z.object({ userCode: z.string(), status, pin: z.nullable(z.string()) })),
  fails: [404, 409, 410, 429],
})

/**
 * Request-initiation verification (RFC 10027): proves that the user who approved is at the device. The device code
 * alone authenticates the call. The tokens are returned by the next poll.
 */
export const confirmDeviceAuthorization = endpoint('POST', '/passport/deviceauthorization/pin', {
  summary: 'Confirm a device authorization with a PIN',
  description:
    'The device sends the PIN that was shown to the approving user. The third wrong PIN denies the authorization.',
  access: 'anyone',
  body: action(
    z.object({
      deviceCode: z.string().check(z.minLength(1), z.maxLength(256)),
      pin: z.string().check(z.regex(new RegExp(`^\\d{${pinDigits}}$`), { error: `Must be ${pinDigits} digits.` })),
    }),
  ),
  fails: [404, 409, 410],
  rateLimit: { requests: 120, perSeconds: 60, by: 'address', sharedAs: 'device-pin' },
})
