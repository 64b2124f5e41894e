import { jwtVerify } from 'jose'
import type { Habits } from './habits.ts'

/** The registration of a client. */
interface Registration {
  clientId: string
  clientSecret: string
}

/** Reports whether a token request authenticates the client, in a way that the provider supports. */
export async function isAuthenticated(
  header: string | undefined,
  form: Record<string, unknown>,
  { clientId, clientSecret, issuer }: Registration & { issuer: string },
  { authMethods, comparesRaw }: Habits,
): Promise<boolean> {
  const isSupported = (method: string) => authMethods?.includes(method) ?? true
  const encoded = /^Basic (.+)$/.exec(header ?? '')?.[1]
  if (encoded !== undefined) {
    const basic = Buffer.from(encoded, 'base64').toString()
    if (!isSupported('client_secret_basic')) return false
    if (comparesRaw) return basic === `${clientId}:${clientSecret}`
    const [id, secret] = basic.split(':').map(formDecode)
    return id === clientId && secret === clientSecret
  }
  const assertion = form['client_assertion']
  if (typeof assertion === 'string') {
    const key = new TextEncoder().encode(clientSecret)
    const claims = { issuer: clientId, subject: clientId, audience: issuer }
    return (
      isSupported('client_secret_jwt') &&
      jwtVerify(assertion, key, claims).then(
        () => true,
        () => false,
      )
    )
  }
  const isPosted = form['client_id'] === clientId && form['client_secret'] === clientSecret
  return isSupported('client_secret_post') && isPosted
}

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
