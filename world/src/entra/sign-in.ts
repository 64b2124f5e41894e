import { randomUUID } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { type Cloud, findFault, findPerson, findTenant } from './cloud.ts'
import type { EntraPerson, EntraTenant } from './directory.ts'
import { describeError, type EntraError, entraErrors } from './errors.ts'
import { isFault } from './faults.ts'
import { renderErrorPage, renderSignInPage } from './pages.ts'
import type { Tokens } from './tokens.ts'

/** A person and the tenant in which they sign in. */
interface Account {
  tenant: EntraTenant
  person: EntraPerson
}

const path = '/:tenant/oauth2/v2.0/authorize'
/** Keeps the object id of the person who signed in last. */
const cookieName = 'entra-session'

/**
 * Serves the authorization endpoint: authorization code with PKCE, `response_mode=query`, `prompt` and `login_hint`. A
 * `login_hint` of a known person signs in without the page, unless the cloud always asks.
 */
export function serveSignIn(app: Hono, cloud: Cloud, tokens: Tokens) {
  app.get(path, (c) => {
    const query = c.req.query()
    const error = findRequestError(c, query)
    if (error) return c.html(renderErrorPage(error), 400)
    const accounts = listAccounts(c)
    const hinted = findAccount(accounts, query['login_hint'])
    if (query['prompt'] === 'none') {
      const current = findAccount(accounts, getCookie(c, cookieName))
      const isOther = query['login_hint'] !== undefined && current !== hinted
      return current && !isOther ? respond(c, query, current) : redirectError(c, query, entraErrors.loginRequired())
    }
    if (hinted && !cloud.options.alwaysAsks) return respond(c, query, hinted)
    return c.html(renderSignInPage(cloud, query, accounts, hinted))
  })

  app.post(path, async (c) => {
    const { person = '', fault, ...query } = (await c.req.parseBody()) as Record<string, string>
    const error = findRequestError(c, query)
    if (error) return c.html(renderErrorPage(error), 400)
    if (isFault(fault) && fault !== cloud.fault.name) cloud.fault = { name: fault, options: {} }
    const account = findAccount(listAccounts(c), person)
    return account ? respond(c, query, account) : redirectError(c, query, entraErrors.declined())
  })

  app.get('/:tenant/oauth2/v2.0/logout', (c) => {
    setCookie(c, cookieName, '', { path: '/', maxAge: 0 })
    return c.redirect(c.req.query('post_logout_redirect_uri') ?? '/', 302)
  })

  /** Returns the error of a request that must not be redirected. */
  function findRequestError(c: Context, query: Record<string, string>): EntraError | undefined {
    const { clientId, redirectUris } = cloud.options
    const tenantName = c.req.param('tenant') ?? ''
    if (tenantName !== 'organizations' && !findTenant(cloud, tenantName)) return entraErrors.tenantNotFound(tenantName)
    if (query['client_id'] !== clientId) return entraErrors.applicationNotFound(query['client_id'] ?? '', tenantName)
    const redirectUri = query['redirect_uri'] ?? ''
    if (!redirectUris.includes(redirectUri)) return entraErrors.invalidRedirectUri(redirectUri, clientId)
    const missing = ['response_type', 'scope'].find((name) => !query[name])
    return missing ? entraErrors.missingParameter(missing) : undefined
  }

  function listAccounts(c: Context): Account[] {
    const tenant = findTenant(cloud, c.req.param('tenant') ?? '')
    const tenants = tenant ? [tenant] : cloud.tenants
    return tenants.flatMap((tenant) => tenant.people.map((person) => ({ tenant, person })))
  }

  function respond(c: Context, query: Record<string, string>, { tenant, person }: Account): Response {
    if (findFault(cloud, 'cancelled', tenant.id)) return redirectError(c, query, entraErrors.declined())
    const code = tokens.issueCode({
      tenant,
      person,
      redirectUri: query['redirect_uri'] ?? '',
      nonce: query['nonce'],
      codeChallenge: query['code_challenge'],
    })
    setCookie(c, cookieName, person.oid, { path: '/', httpOnly: true, sameSite: 'Lax' })
    return redirectWith(c, query, { code, session_state: randomUUID() })
  }

  function redirectError(c: Context, query: Record<string, string>, error: EntraError): Response {
    const isCancelled = error.error === 'access_denied'
    return redirectWith(c, query, {
      error: error.error,
      ...(isCancelled && { error_subcode: 'cancel' }),
      error_description: describeError(error).description,
    })
  }
}

function findAccount(accounts: Account[], name: string | undefined): Account | undefined {
  const people = accounts.map(({ person }) => person)
  const person = name && findPerson(people, name)
  return accounts.find((account) => account.person === person)
}

function redirectWith(c: Context, query: Record<string, string>, parameters: Record<string, string>): Response {
  const target = new URL(query['redirect_uri'] ?? '')
  const state = query['state']
  for (const [name, value] of Object.entries({ ...parameters, ...(state !== undefined && { state }) }))
    target.searchParams.set(name, value)
  return c.redirect(target.href, 302)
}
