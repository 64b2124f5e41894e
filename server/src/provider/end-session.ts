import type { JWTPayload } from 'jose'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Client } from '../clients/store.ts'
import { html, type Page, type PageRequest } from '../http/page.ts'
import type { Services } from '../room.ts'
import { clearSession } from '../sessions/cookie.ts'
import { endSessionOf } from '../sessions/end.ts'
import { publicPart, type SigningJwk } from './keys.ts'

/** What must be known of a client that wants someone signed out. */
type WishingClient = Pick<Client, 'clientId' | 'name' | 'postLogoutRedirectUris'>

/** What a client asks for when it wants someone signed out (OpenID Connect RP-Initiated Logout 1.0, section 2). */
interface Wish {
  client: WishingClient | undefined
  /** Whom the client's ID token names. */
  hintedSubject: string | undefined
  /** Where to go afterwards, with the state: an address that the client registered. */
  returnTo: string | undefined
}

/** A wish that cannot be granted; the message is for the person who was sent here. */
export class InvalidWish extends Error {}

/** Reads the parameters of an end-session request. Throws `InvalidWish`. */
export async function readWish(
  query: URLSearchParams,
  findClient: (clientId: string) => Promise<WishingClient | undefined>,
  publicUrl: string,
  keys: SigningJwk[],
): Promise<Wish> {
  const hint = query.get('id_token_hint')
  const hinted = hint === null ? undefined : await verifyHint(hint, publicUrl, keys)
  const clientId = query.get('client_id') ?? hinted?.aud
  if (hinted && clientId !== hinted.aud)
    throw new InvalidWish('The client is not the one that the ID token was made for.')
  const client = typeof clientId === 'string' ? await findClient(clientId) : undefined
  if (typeof clientId === 'string' && !client) throw new InvalidWish('There is no such client.')
  const address = query.get('post_logout_redirect_uri')
  if (address !== null && !client?.postLogoutRedirectUris.includes(address)) {
    throw new InvalidWish('The address to go to afterwards is not registered for the client.')
  }
  return {
    client,
    hintedSubject: hinted?.sub,
    returnTo: address === null ? undefined : withState(address, query.get('state')),
  }
}

/** An ID token of ours; it may have expired, for it says who was signed in and not that they are. */
async function verifyHint(hint: string, issuer: string, keys: SigningJwk[]): Promise<JWTPayload> {
  try {
    const published = createLocalJWKSet({ keys: keys.map(publicPart) })
    const { payload } = await jwtVerify(hint, published, { issuer, currentDate: new Date(0) })
    return payload
  } catch {
    throw new InvalidWish('The ID token that came with the request is not one of this server.')
  }
}

function withState(address: string, state: string | null): string {
  const target = new URL(address)
  if (state !== null) target.searchParams.set('state', state)
  return target.href
}

/** Ends the browser's session and everything that was to last as long as it. */
export async function signOutOfBrowser(
  { sql, door }: Services,
  request: PageRequest,
  client: string | null,
): Promise<void> {
  const token = request.cookies.get(door.sessionCookie)
  if (token) await endSessionOf(sql, token, { visit: request.visit, client })
  clearSession(request.cookies, door)
}

/** Asks the person, because without their ID token any page on the web could sign them out. */
export function confirmationPage(brandName: string, { client, returnTo }: Wish, sealedReturnTo: string): Page {
  const body = html`<h1>Sign out of ${brandName}?</h1>
    <p>${client ? `${client.name} asks to sign you out.` : 'An application asks to sign you out.'}
      You will be signed out of ${brandName} and of every application that you use with it in this browser.</p>
    <form method="post" action="/connect/endsession/confirm">
      <input type="hidden" name="wish" value="${sealedReturnTo}">
      <p class="actions"><button>Sign out</button> <a class="button plain" href="/app/">Stay signed in</a></p>
    </form>`
  return { title: 'Sign out', body, formTargets: returnTo ? [new URL(returnTo).origin] : [] }
}

export function signedOutPage(): Page {
  const body = html`<h1>You are signed out</h1>
    <p>You may close this window.</p>
    <p><a class="button" href="/app/">Go to the start</a></p>`
  return { title: 'Signed out', body }
}

export function refusedPage(reason: string): Page {
  const body = html`<h1>You were not signed out</h1>
    <p>An application sent you here with a request that is not right. ${reason}</p>
    <p><a class="button" href="/app/account/logins">See where you are signed in</a></p>`
  return { status: 400, title: 'Not signed out', body }
}
