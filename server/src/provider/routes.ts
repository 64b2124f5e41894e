import type { Feature } from '../feature.ts'
import { tooLarge } from '../http/problems.ts'
import { startAtDirectory } from '../local-directory/start-at-directory.ts'
import { createSignInStart } from '../login/start-sign-in.ts'
import { createAuthorization, createAuthorizationEndpoint } from './authorize.ts'
import { serveCheckSession } from './check-session.ts'
import { createContinuation } from './continue-request.ts'
import { serveDocuments } from './documents.ts'
import {
  InvalidEndSessionRequest,
  parseEndSessionRequest,
  renderConfirmationPage,
  renderInvalidRequestPage,
  renderSignedOutPage,
  selectReturn,
  signOutOfBrowser,
} from './end-session.ts'
import { serveFormPostScript } from './form-post.ts'
import { serveInteractions } from './interaction-pages.ts'
import { createIntrospection } from './introspect.ts'
import { createPushEndpoint } from './push-request.ts'
import { createRevocation } from './revoke.ts'
import { createDeviceStart } from './start-device.ts'
import { createTokenEndpoint } from './token.ts'
import { createTokenStore } from './token-store.ts'
import { createUserInfo } from './user-info.ts'

/** Encrypted and encoded, this fits into a request line of 8 KB, the usual limit of proxies. */
const maxFormLength = 6000

/** The issuer of tokens: the protocol, and its pages for users. Disabled if another authority is configured. */
export const provider: Feature = ({ page, mount, protocol }, services) => {
  const { branding, config, clients, vault, issuer, sql } = services
  if (config.authority) return
  const authorization = createAuthorization(services)
  protocol('/connect/authorize', createAuthorizationEndpoint(services, authorization))
  protocol('/connect/authorize/*', createContinuation(services, authorization))
  protocol('/connect/par', createPushEndpoint(services))
  protocol('/connect/deviceauthorization', createDeviceStart(services))
  serveDocuments(protocol, services)
  protocol('/connect/token', createTokenEndpoint(services))

  const tokens = createTokenStore(sql)
  protocol('/connect/introspect', createIntrospection(services, tokens))
  protocol('/connect/revocation', createRevocation(services))
  protocol('/connect/userinfo', createUserInfo(services, tokens))

  serveCheckSession(mount, clients, services.http)
  serveFormPostScript(mount)
  serveInteractions(page, services, createSignInStart(services, startAtDirectory))

  const parseEndSession = async (parameters: URLSearchParams) =>
    parseEndSessionRequest(parameters, clients.findCurrent, config.publicUrl, await issuer.keys())

  page('GET', '/connect/endsession', async (request) => {
    const { caller } = request
    const parameters = readParameters(request.url.searchParams)
    const endSession = await parseEndSession(parameters).catch(toInvalidReason)
    if ('invalidReason' in endSession) return renderInvalidRequestPage(endSession.invalidReason)
    const isProven = caller !== undefined && endSession.hintedSubject === caller.id
    if (caller && !isProven)
      return renderConfirmationPage(
        branding.current().name,
        endSession,
        vault.seal('endsession', selectReturn(parameters, endSession.client).toString()),
      )
    if (isProven) await signOutOfBrowser(services, request, endSession.client?.clientId ?? null)
    return endSession.returnTo ? { redirect: endSession.returnTo } : renderSignedOutPage()
  })

  // Browsers send a form of another site without the session, so it is redirected. Its content is encrypted, because an
  // ID token does not belong in a URL.
  const redirectToGet = ({ form }: { form: URLSearchParams }) => {
    const sent = vault.seal('endsession-form', requireShort(form.toString(), 'A sign-out request'))
    return { redirect: `/connect/endsession?${new URLSearchParams({ sent })}` }
  }
  const readParameters = (query: URLSearchParams) => {
    const sent = query.get('sent')
    return sent === null ? query : new URLSearchParams(vault.open('endsession-form', sent) ?? '')
  }
  page('POST', '/connect/endsession', redirectToGet, { fromOtherSites: true })

  page('POST', '/connect/endsession/confirm', async (request) => {
    const sent = vault.open('endsession', request.form.get('return') ?? '') ?? ''
    // The application may have been disabled, or have lost the URI, since the page was shown.
    const endSession = await parseEndSession(new URLSearchParams(sent)).catch(toInvalidReason)
    await signOutOfBrowser(services, request, null)
    const returnTo = 'invalidReason' in endSession ? undefined : endSession.returnTo
    return returnTo ? { redirect: returnTo } : renderSignedOutPage()
  })
}

/** Returns the text of a form; throws 413 if it is too long for a URL. */
function requireShort(form: string, subject: string): string {
  if (form.length > maxFormLength) throw tooLarge(`${subject} must have at most 6,000 bytes.`)
  return form
}

function toInvalidReason(error: unknown) {
  if (error instanceof InvalidEndSessionRequest) return { invalidReason: error.message }
  throw error
}
