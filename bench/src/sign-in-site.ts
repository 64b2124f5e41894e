import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bundleClient, signInClients } from './sign-in-clients.ts'

/** An application served once per client, under `/0/`, `/1/` and so on. */
export interface Site {
  url: string
  stop: () => void
}

/** Serves the same page with each of the clients, and the same settings for all. */
export async function startSite(authority: string): Promise<Site> {
  const scripts = await Promise.all(signInClients.map(bundleClient))
  const server = createServer(({ url = '' }, response) => {
    const [, index, name] = url.split('?')[0]?.split('/') ?? []
    if (name === 'client.js') response.setHeader('content-type', 'text/javascript').end(scripts[Number(index)])
    else response.setHeader('content-type', 'text/html').end(renderPage(authority))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Renders a page that measures the time from the call of `signinCallback` until the user is in the session storage. All
 * three clients store the user under the same key.
 */
const renderPage = (authority: string) => `<!doctype html>
<title>An application</title><link rel="icon" href="data:,">
<script type="module">
  import * as imported from './client.js'

  const settings = {
    authority: '${authority}',
    client_id: 'bench',
    redirect_uri: new URL('callback', location.href).href,
    response_type: 'code',
    scope: 'openid profile',
    loadUserInfo: true,
    monitorSession: false,
  }
  const client = imported.createSigninClient?.(settings) ?? new imported.UserManager(settings)
  const setItem = Storage.prototype.setItem
  let storedAt
  Storage.prototype.setItem = function (key, value) {
    setItem.call(this, key, value)
    if (key.startsWith('oidc.user:')) storedAt ??= performance.now()
  }
  window.begin = () => void client.signinRedirect()
  window.finish = async () => {
    const startedAt = performance.now()
    const error = await client.signinCallback().then(() => undefined, String)
    return { error, durationMs: storedAt - startedAt }
  }
  window.isReady = true
</script>`
