import { randomUUID } from 'node:crypto'

/** The built-in client of the device flow. */
const clientId = 'passport-device-test'

/** A headset that signs in by the device flow (RFC 8628). */
export interface Headset {
  userCode: string
  approveUrl: string
  /** The same address with the code. */
  completeUrl: string
  intervalSeconds: number
  /** The name of the user, once signed in. */
  user?: string
  /** Why it cannot sign in. */
  error?: string
}

interface Waiting extends Headset {
  deviceCode: string
  /** When Passport may be asked next, in milliseconds since 1970. */
  nextAt: number
}

export interface Headsets {
  /** Requests a code; returns the id of the headset. Throws if Passport refuses. */
  start: () => Promise<string>
  /** Asks Passport whether the user has decided; undefined for an unknown id. */
  poll: (id: string) => Promise<Headset | undefined>
}

export function createHeadsets(passportUrl: string): Headsets {
  const headsets = new Map<string, Waiting>()
  const post = async (path: string, form: Record<string, string>) => {
    const response = await fetch(passportUrl + path, { method: 'POST', body: new URLSearchParams(form) })
    return (await response.json()) as Record<string, string>
  }
  return {
    start: async () => {
      const answer = await post('/connect/deviceauthorization', { client_id: clientId, scope: 'openid profile email' })
      if (!answer['user_code']) throw new Error(answer['error_description'] ?? answer['error'])
      const intervalSeconds = Number(answer['interval'] ?? 5)
      const id = randomUUID()
      headsets.set(id, {
        userCode: answer['user_code'],
        deviceCode: answer['device_code'] ?? '',
        approveUrl: answer['verification_uri'] ?? '',
        completeUrl: answer['verification_uri_complete'] ?? '',
        intervalSeconds,
        nextAt: Date.now() + intervalSeconds * 1000,
      })
      return id
    },
    poll: async (id) => {
      const headset = headsets.get(id)
      if (!headset || headset.user !== undefined || headset.error !== undefined || Date.now() < headset.nextAt)
        return headset
      headset.nextAt = Date.now() + headset.intervalSeconds * 1000
      const answer = await post('/connect/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: headset.deviceCode,
        client_id: clientId,
      })
      const { access_token: token, error } = answer
      if (token) headset.user = await readName(passportUrl, token)
      else if (error !== 'authorization_pending' && error !== 'slow_down')
        headset.error = answer['error_description'] ?? error ?? 'Unknown error'
      return headset
    },
  }
}

async function readName(passportUrl: string, token: string): Promise<string> {
  const response = await fetch(`${passportUrl}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })
  const { name, sub } = (await response.json()) as { name?: string; sub: string }
  return name ?? sub
}
