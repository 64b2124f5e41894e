import type { TestBrowser } from '@passport/world/browser'
import { hashToken } from '../vault.ts'
import { createSender, normalise, readOutcome } from './test-both-ways.ts'
import { redirectUri, shopSecret, startShop } from './test-shop.ts'

// Authorization requests, by the direct handlers and by the library: the same requests have the same responses, and leave
// the same rows.

const otherUri = 'https://other.example/callback?kept=1'
/** The redirect URI of the clients besides the shop. */
export const ofOther = { redirect_uri: otherUri }
const otherClient = (clientId: string, settings: object) => ({
  clientId,
  clientName: clientId,
  redirectUris: [otherUri],
  ...settings,
})
const otherClients = [
  otherClient('plain', { clientSecret: shopSecret, pkce: 'optional', consent: 'skip' }),
  otherClient('public', { consent: 'skip' }),
  otherClient('asking', { clientSecret: shopSecret, consent: 'once' }),
  otherClient('nagging', { clientSecret: shopSecret, consent: 'always' }),
  otherClient('device', { redirectUris: ['com.example.device:/callback', 'http://127.0.0.1/callback'] }),
]

export const challenge = 'c'.repeat(43)
/** The usual authorization request. */
export const usual = {
  client_id: 'shop',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid email',
  state: 'a state & more',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}
export type Parameters = Record<string, string | undefined>

/** Builds the path of the usual request with some other parameters; undefined ones are left out. */
export function buildPath(changes: Parameters = {}): string {
  const all = Object.entries({ ...usual, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return `/connect/authorize?${new URLSearchParams(all)}`
}

/** Replaces what is random or depends on the time. */
const redact = (text: string): string =>
  text
    .replaceAll(challenge, 'challenge')
    .replace(/[\w-]{43}\.[\w-]{16}|(?<![\w-])[\w-]{43}(?![\w-])/g, '{random}')
    .replace(/(?<=\.sig=)[\w-]{27}/g, '{signature}')
    .replace(/\b[0-9A-F]{4}-[0-9A-F]{4}\b/g, '{support code}')
    .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, (date) => {
      const minutes = Math.round((Date.parse(date) - Date.now()) / 60_000)
      return minutes < 0 ? 'ended' : `in ${minutes} min`
    })

/** Sorts the fields of objects, for `JSON.stringify`. */
const sortFields = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)))
    : value

/** Reports whether a cookie of the response has the value that was sent; the others are random. */
const isExtended = (line: string, sent: string) => sent.split('; ').includes(line.split('; ')[0] ?? '')

/** Returns the cookies that a browser sends to a path. */
export const cookiesFor = (browser: TestBrowser, path = '/'): string =>
  browser
    .cookies()
    .filter((cookie) => cookie.path === '/' || cookie.path === path)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')

/** Starts the service with several clients, and returns functions that compare both ways. */
export async function startAuthorizationTest() {
  const started = await startShop({}, { TRUSTED_PROXIES: '127.0.0.0/8' }, otherClients)
  const { service } = started
  const { sql } = service
  const send = createSender(service)
  let lastEventId = ''
  return { ...started, sql, send, keep, restore, readEffect, readTrace, readCodeOwner, ask }

  /** Keeps the state for `restore`. */
  async function keep() {
    await sql`create table kept_artifacts as select * from only provider_artifacts`
    await sql`create table kept_sessions as select * from sessions`
    await sql`create table kept_consents as select * from consents`
  }

  /** Returns to the kept state; later events are part of the effect. */
  async function restore() {
    await sql`delete from provider_artifacts`
    await sql`insert into provider_artifacts select * from kept_artifacts`
    await sql`delete from sessions`
    await sql`insert into sessions select * from kept_sessions`
    await sql`delete from consents`
    await sql`insert into consents select * from kept_consents`
    await sql`update users set disabled_at = null, deleted_at = null where username in ('dev', 'eve')`
    const [last] = await sql<{ id: string }[]>`select max(id) as id from audit_events`
    lastEventId = last?.id ?? ''
  }

  /**
   * Reads everything that a request may write, without random values, and in how many minutes each row ends if that is
   * soon.
   */
  async function readEffect() {
    const artifacts = await sql<{ payload: { sealed?: string } }[]>`
      select tableoid::regclass::text as relation, issuer, kind, account_id, uid is not null as has_uid,
        grant_id is not null as has_grant, login_id is not null as has_login, browser_id is not null as has_browser,
        sealed_id is not null as is_sealed, payload, consumed_at,
        case when expires_at > now() + interval '1 hour' then 'hours later'
          else round(extract(epoch from expires_at - now()) / 60)::text end as minutes
      from provider_artifacts`
    const sessions = await sql`
      select token_hash, now() - last_seen_at < interval '1 hour' as is_recent, auth_time,
        provider_session in (select uid from provider_artifacts) as is_bound
      from sessions`
    const used = await sql`select client_id, last_used_at > now() - interval '1 minute' as is_used from consents`
    const events = await sql`
      select actor_id, target_kind, target_id, after, ip, user_agent, trace_id is not null as is_traced
      from audit_events where action = 'client.authorized' and id > ${lastEventId}`
    const opened = artifacts.map((row) => ({ ...row, payload: open(row.payload) }))
    const rows = [opened, sessions, used, events].flatMap((table) => [...table])
    return rows.map((row) => redact(JSON.stringify(normalise(row), sortFields))).toSorted()
  }

  /** Returns the user and the client of the code to which a response redirects. */
  async function readCodeOwner(response: Response) {
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const [row] = await sql<{ username: string; clientId: string }[]>`
      select username, payload ->> 'clientId' as client_id from provider_tokens join users on users.id = account_id
      where kind = 'AuthorizationCode' and id_hash = ${hashToken(code)}`
    return `${row?.username} ${row?.clientId}`
  }

  /** Reads the trace of the last request. */
  async function readTrace() {
    await service.services.traces.flush()
    const [row] = await sql<{ steps: { ms: number }[]; keys: string[] }[]>`
      select kind, result, reason, keys, provider, client_id, user_id, ip, user_agent, steps
      from sign_in_traces where kind = 'authorization' order by at desc, id desc limit 1`
    return { ...row, keys: row?.keys.length, steps: row?.steps.map((step) => ({ ...step, ms: 0 })) }
  }

  function open(payload: { sealed?: string }): unknown {
    const { sealed } = payload
    return sealed ? JSON.parse(service.services.vault.open('artifact:passport:Interaction', sealed) ?? '{}') : payload
  }

  /** Sends a request one way, without what is random in its response; reports whether the direct handler answered it. */
  async function ask(path: string, init: RequestInit, byLibrary = false) {
    const response = await send(path, { redirect: 'manual', ...init }, byLibrary)
    const { status, headers, body } = await readOutcome(response)
    // The library describes the redirect in a text; a response of the direct handler has none.
    const isDirect = init.method === undefined && status === 303 && headers['content-type'] === undefined
    delete headers['content-type']
    const text = headers['location'] ? '' : redact(JSON.stringify(body)).replace(/(?:&amp;|[?])library/g, '')
    const sent = new Headers(init.headers).get('cookie') ?? ''
    const cookies = response.headers
      .getSetCookie()
      .map((line) => redact(isExtended(line, sent) ? `as sent: ${line}` : line))
    return {
      isDirect,
      outcome: { status, headers: redact(JSON.stringify({ ...headers, 'set-cookie': '' })), cookies, text },
    }
  }
}
