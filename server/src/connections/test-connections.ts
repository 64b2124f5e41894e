import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { type RunningMeta, startMeta } from '@passport/world/meta'
import { findFreePort } from '@passport/world/port'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

export const metaApp = { appId: '1001', appSecret: 'the secret of the app at Meta', organizationId: '2002' }

/** The status and the body of a response. */
export interface Result {
  status: number
  /** Empty for a response without a body. */
  body: Record<string, string>
}

/** A service with a simulated Meta and a mail server, and the steps of a connection. */
export interface ConnectingService {
  service: TestService
  meta: RunningMeta
  mail: RunningMailServer
  /** Sends a request with JSON; `cookie` is added to that of the session. */
  send: (visitor: Visitor, path: string, body?: unknown, cookie?: string) => Promise<Result>
  /** Starts a connection; returns the cookie that the response sets. */
  start: (visitor: Visitor) => Promise<string>
  /** Starts a connection and returns to the callback with this account; returns the id to confirm. */
  prove: (visitor: Visitor, alias: string) => Promise<string>
  /** Connects this account, from start to confirmation. */
  connect: (visitor: Visitor, alias: string) => Promise<Result>
}

/** Starts the service with the settings of Meta and these. Stops after the tests of the file. */
export async function startConnectingService(env: Record<string, string> = {}): Promise<ConnectingService> {
  const port = await findFreePort()
  const redirectUri = `http://localhost:${port}/app/connect/metahorizon/callback`
  const meta = await startMeta({ ...metaApp, redirectUri })
  onFileEnd(meta.stop)
  const mail = await startMailServer()
  onFileEnd(mail.stop)
  const service = await startTestService({
    PORT: String(port),
    META_APP_ID: metaApp.appId,
    META_APP_SECRET: metaApp.appSecret,
    META_ORGANIZATION_ID: metaApp.organizationId,
    META_SSO_URL: meta.ssoUrl,
    META_GRAPH_URL: meta.graphUrl,
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'id@stage.example',
    ...env,
  })

  const send = async (visitor: Visitor, path: string, body?: unknown, cookie?: string) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        cookie: [visitor.cookie, cookie].filter(Boolean).join('; '),
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Result['body'] }
  }
  const start = async (visitor: Visitor) => {
    const response = await visitor.fetch('/passport/connect/metahorizon/start', { method: 'POST' })
    return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const prove = async (visitor: Visitor, alias: string) => {
    const payload = meta.issueFragment(alias)
    const cookie = await start(visitor)
    const { body } = await send(visitor, '/passport/connect/metahorizon/callback', { payload }, cookie)
    return body['linkId'] ?? ''
  }
  const connect = async (visitor: Visitor, alias: string) => {
    const linkId = await prove(visitor, alias)
    return send(visitor, '/passport/connect/metahorizon/confirm', { linkId })
  }
  return { service, meta, mail, send, start, prove, connect }
}
