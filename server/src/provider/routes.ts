import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { type Presented, presentedToken } from '../http/presented-token.ts'
import { startsBy } from '../http/rate-limit.ts'
import type { Room, Services } from '../room.ts'
import * as users from '../users/store.ts'
import { isStructured } from './access-token.ts'
import { claimsOf, claimsOfScope } from './account.ts'
import { serveCheckSession } from './check-session.ts'
import { confirmationPage, InvalidWish, readWish, refusedPage, signedOutPage, signOutOfBrowser } from './end-session.ts'
import { serveInteractions } from './interaction-pages.ts'
import { unwrapToken, userInfoOf } from './structured-tokens.ts'
import { countWrongSecrets } from './wrong-secrets.ts'

const paths = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/connect/authorize/*',
  '/connect/jwks',
] as const

/** The issuer of tokens: the protocol, and the pages where it needs the person. There is none where another one is named. */
export const provider: Room = ({ page, mount }, services) => {
  const { config, clients, vault, issuer, sql, door } = services
  if (config.authority) return
  const counted = countWrongSecrets(sql, door.isNear)
  // Before what is under it, whose pattern takes this path as well.
  mount('/connect/authorize', issuer.answer, { rateLimit: startsBy('connect-authorize') })
  mount('/connect/deviceauthorization', counted(issuer.answer), { rateLimit: startsBy('device-authorization') })
  for (const path of paths) mount(path, issuer.answer)
  for (const path of ['/connect/token', '/connect/par'] as const) mount(path, counted(issuer.answer))

  for (const path of ['/connect/introspect', '/connect/revocation'] as const) {
    const answer = counted(async (incoming, outgoing) => {
      await unwrapToken(incoming, issuer, config.publicUrl)
      await issuer.answer(incoming, outgoing)
    })
    mount(path, answer)
  }

  mount('/connect/userinfo', async (incoming, outgoing) => {
    const presented = presentedToken(incoming.headers, incoming.method ?? '', config.publicUrl + (incoming.url ?? ''))
    if (!presented || !isStructured(presented.token) || incoming.method === 'OPTIONS')
      return issuer.answer(incoming, outgoing)
    await answerUserInfo(services, presented, incoming, outgoing)
  })

  serveCheckSession(mount, clients, services.door)
  serveInteractions(page, services)

  page('GET', '/connect/endsession', async (request) => {
    const { caller } = request
    const asked = askedFor(request.url.searchParams)
    const wish = await readWish(asked, clients.find, config.publicUrl, await issuer.keys()).catch(asRefusal)
    if ('refusal' in wish) return refusedPage(wish.refusal)
    const isProven = caller !== undefined && wish.hintedSubject === caller.id
    if (caller && !isProven)
      return confirmationPage(config.brandName, wish, vault.seal('endsession', wish.returnTo ?? ''))
    if (isProven) await signOutOfBrowser(services, request, wish.client?.clientId ?? null)
    return wish.returnTo ? { redirect: wish.returnTo } : signedOutPage()
  })

  // A form of another site comes without the session. What is asked is sealed: an ID token belongs in no address.
  const toGet = ({ form }: { form: URLSearchParams }) => ({
    redirect: `/connect/endsession?${new URLSearchParams({ sent: vault.seal('endsession-form', form.toString()) })}`,
  })
  const askedFor = (query: URLSearchParams) => {
    const sent = query.get('sent')
    return sent === null ? query : new URLSearchParams(vault.open('endsession-form', sent) ?? '')
  }
  page('POST', '/connect/endsession', toGet, { fromOtherSites: true })

  page('POST', '/connect/endsession/confirm', async (request) => {
    const returnTo = vault.open('endsession', request.form.get('wish') ?? '')
    await signOutOfBrowser(services, request, null)
    return returnTo ? { redirect: returnTo } : signedOutPage()
  })
}

function asRefusal(error: unknown) {
  if (error instanceof InvalidWish) return { refusal: error.message }
  throw error
}

async function answerUserInfo(
  { sql, config, door, clients, issuer }: Services,
  presented: Presented,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) {
  const { origin } = incoming.headers
  for (const [name, value] of Object.entries(door.corsHeaders(origin))) outgoing.setHeader(name, value)
  if (origin && (await clients.origins()).includes(origin)) outgoing.setHeader('Access-Control-Allow-Origin', origin)
  outgoing.setHeader('Cache-Control', 'no-store')
  try {
    const { accountId, scopes } = await userInfoOf(sql, issuer, presented, config.publicUrl)
    const user = await users.find(sql, accountId)
    if (!user || user.disabledAt !== null) throw new errors.InvalidToken('the person is disabled')
    const told = new Set<string>(scopes.flatMap((scope) => claimsOfScope[scope as keyof typeof claimsOfScope] ?? []))
    const claims = Object.fromEntries(Object.entries(claimsOf(user)).filter(([name]) => told.has(name)))
    outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(claims))
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const { error: code, error_description: description, statusCode } = error
    const challenge = `${presented.scheme === 'dpop' ? 'DPoP' : 'Bearer'} realm="${config.publicUrl}", error="${code}"`
    outgoing.writeHead(statusCode, { 'Content-Type': 'application/json', 'WWW-Authenticate': challenge })
    outgoing.end(JSON.stringify({ error: code, error_description: description }))
  }
}
