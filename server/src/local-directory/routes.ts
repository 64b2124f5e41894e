import { errors } from 'oidc-provider'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { PageAnswer, PageRequest } from '../http/page.ts'
import { startsBy } from '../http/rate-limit.ts'
import { reportRefusal } from '../http/report.ts'
import { directoryClient } from '../identity-providers/upstreams.ts'
import { findAttempt } from '../login/attempt.ts'
import { InvalidWish, readWish, refusedPage, signedOutPage } from '../provider/end-session.ts'
import type { Issuer } from '../provider/issuer.ts'
import { endFormerSession } from '../provider/waiting-request.ts'
import type { Room, Services } from '../room.ts'
import { createDirectoryIssuer } from './directory-issuer.ts'
import { createLockout, type Lockout, type PasswordAttempt } from './lockout.ts'
import { expiredPage, signInPage } from './pages.ts'
import { isPassword } from './password.ts'
import * as store from './store.ts'

const protocolPaths = [
  '/idp/.well-known/openid-configuration',
  '/idp/authorize/*',
  '/idp/token',
  '/idp/userinfo',
  '/idp/jwks',
] as const

/** The built-in identity provider: names and passwords for whoever has no other one yet. */
export const localDirectory: Room = ({ page, mount }, services) => {
  const { config, door, log, sql, vault } = services
  if (!config.identityProviders.some(({ kind }) => kind === 'local')) return
  const issuer = createDirectoryIssuer(services)
  const lockout = createLockout(sql, vault, door.isNear)
  const expired = ({ visit }: PageRequest) =>
    expiredPage(reportRefusal(log, visit, { code: 'directory-sign-in-expired' }))

  // Before what is under it, whose pattern takes this path as well.
  mount('/idp/authorize', issuer.answer, { rateLimit: startsBy('idp-authorize') })
  for (const path of protocolPaths) mount(path, issuer.answer)

  page('GET', '/idp/login/{uid}', async (request) => {
    const details = await detailsOf(issuer, request)
    return details ? form(services, request, details, {}) : expired(request)
  })

  page('POST', '/idp/login/{uid}', async (request) => {
    const details = await detailsOf(issuer, request)
    if (!details || vault.open('directory-form', request.form.get('seal') ?? '') !== details.uid)
      return expired(request)
    return decide(services, issuer, lockout, request, details)
  })

  page('GET', '/idp/endsession', (request) => endSession(services, issuer, request))
}

type Details = NonNullable<Awaited<ReturnType<typeof detailsOf>>>

async function detailsOf(issuer: Issuer, { node, params }: PageRequest) {
  try {
    const details = await (await issuer.provider()).interactionDetails(node.incoming, node.outgoing)
    return details.uid === params['uid'] ? details : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

async function form(
  { sql, config, door, vault }: Services,
  { cookies }: PageRequest,
  details: Details,
  shown: { name?: string; complaint?: string },
) {
  const attempt = findAttempt(cookies, door, vault, String(details.params['state'] ?? ''))
  const cast = config.isLoopback ? await store.listCast(sql) : []
  return signInPage({
    uid: details.uid,
    seal: vault.seal('directory-form', details.uid),
    name: shown.name ?? String(details.params['login_hint'] ?? ''),
    ...(shown.complaint && { complaint: shown.complaint }),
    cast,
    formTargets: attempt?.clientOrigin ? [attempt.clientOrigin] : [],
  })
}

async function decide(
  services: Services,
  issuer: Issuer,
  lockout: Lockout,
  request: PageRequest,
  details: Details,
): Promise<PageAnswer> {
  const { sql } = services
  const { node, visit, cookies } = request
  const provider = await issuer.provider()
  if (request.form.get('cancel')) {
    const refusal = { error: 'access_denied', error_description: 'The person cancelled the sign-in.' }
    return { redirect: await provider.interactionResult(node.incoming, node.outgoing, refusal) }
  }
  const name = (request.form.get('name') ?? '').trim().slice(0, 256)
  const attempt: PasswordAttempt = { name, ip: visit.ip, cookies }
  const lockedSeconds = await lockout.begin(attempt)
  if (lockedSeconds > 0)
    return await form(services, request, details, { name, complaint: lockedComplaint(lockedSeconds) })
  const person = await store.findByName(sql, name)
  const isRight = await isPassword(person?.passwordHash, request.form.get('password') ?? '').catch(async (error) => {
    await lockout.takeBack(attempt)
    throw error
  })
  if (!isRight) {
    const isLocked = await lockout.fail(attempt)
    await recordRefusal(services, request, person, isLocked)
    return form(services, request, details, { name, complaint: 'The name or the password is not right.' })
  }
  if (!person) throw new Error('A password was right for nobody')
  await lockout.succeed(attempt)
  if (details.session && details.session.accountId !== person.id)
    await endFormerSession(issuer, details.session.uid, details.uid)
  const login = { accountId: person.id, amr: ['pwd'], ts: Math.floor(Date.now() / 1000) }
  const result = { login, ...(details.prompt.name === 'select_account' && { select_account: {} }) }
  return { redirect: await provider.interactionResult(node.incoming, node.outgoing, result) }
}

const lockedComplaint = (seconds: number) =>
  `Too many wrong passwords. Try again in ${seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}.`

/** It is shown to the person whose account was tried; for a name that nobody has, the name is not kept: it may be a password. */
async function recordRefusal(
  { sql }: Services,
  { visit }: PageRequest,
  person: store.DirectoryPerson | undefined,
  isLocked: boolean,
) {
  // Asked for nobody's login too: what is left out for a name that nobody has would show in the time of the answer.
  const login = await accounts.findLogin(sql, store.identityIssuer, person?.id ?? '')
  await audit.record(sql, {
    action: isLocked ? 'directory.locked' : 'directory.password-refused',
    target: login ? { kind: 'user', id: login.userId } : { kind: 'directory-person', id: person?.id ?? null },
    after: { idp: 'local' },
    reason: 'password-wrong',
    visit,
  })
}

/** Ends the directory's own session of the browser. Passport shows whose it is, so nobody needs to be asked. */
async function endSession(
  { config, vault }: Services,
  issuer: Issuer,
  { url, node }: PageRequest,
): Promise<PageAnswer> {
  const { clientId, postLogoutRedirectUri } = directoryClient(config.publicUrl, vault)
  const passport = { clientId, name: config.brandName, postLogoutRedirectUris: [postLogoutRedirectUri] }
  const findClient = async (id: string) => (id === clientId ? passport : undefined)
  try {
    const wish = await readWish(url.searchParams, findClient, `${config.publicUrl}/idp`, await issuer.keys())
    const provider = await issuer.provider()
    const session = await provider.Session.get(provider.createContext(node.incoming, node.outgoing) as never)
    if (session.accountId && session.accountId === wish.hintedSubject) await session.destroy()
    return wish.returnTo ? { redirect: wish.returnTo } : signedOutPage()
  } catch (error) {
    if (error instanceof InvalidWish) return refusedPage(error.message)
    throw error
  }
}
