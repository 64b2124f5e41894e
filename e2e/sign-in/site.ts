import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bundle } from '@passport/world/bundle'
import { defaultClientConditions } from 'vite'

/** An application with sign-in that serves the same page at every URL. */
export interface Site {
  url: string
  stop: () => Promise<void>
}

/** Serves the test page with the package, on another origin than the provider. Like many apps, it sends no referrer. */
export async function startSite(): Promise<Site> {
  const script = await bundle(fileURLToPath(new URL('../../sign-in/src/index.ts', import.meta.url)))
  let reactScript: Promise<string> | undefined
  const server = createServer(async ({ url = '' }, response) => {
    if (url === '/react.js') {
      reactScript ??= bundle(fileURLToPath(new URL('react-app.ts', import.meta.url)), [developmentBuild])
      response.setHeader('content-type', 'text/javascript').end(await reactScript)
    } else if (url.startsWith('/react/')) response.setHeader('content-type', 'text/html').end(reactPage)
    else if (url === '/sign-in.js') response.setHeader('content-type', 'text/javascript').end(script)
    else if (url === '/silence') response.end('A page without a script.')
    else response.setHeader('content-type', 'text/html').setHeader('referrer-policy', 'no-referrer').end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * Bundles the sources of the package, because `dist` exists only after `npm pack` and may be stale. Uses the development
 * build of React, which runs effects twice in strict mode.
 */
const developmentBuild = {
  name: 'development-build',
  config: () => ({
    resolve: { conditions: ['@passport/source', ...defaultClientConditions] },
    define: { 'process.env.NODE_ENV': JSON.stringify('development') },
  }),
}

const reactPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>An application with React</title><link rel="icon" href="data:,"></head>
<body><div id="root"></div><script type="module" src="/react.js"></script></body>
</html>`

/**
 * The test page: `createClient` creates a client that records its events, and `settle` returns outcomes as plain data.
 */
const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>An application</title><link rel="icon" href="data:,"></head>
<body>
<script type="module">
import * as signIn from '/sign-in.js'

const events = ['userLoaded', 'userUnloaded', 'accessTokenExpiring', 'accessTokenExpired', 'silentRenewError',
  'userSignedIn', 'userSignedOut', 'userSessionChanged']

window.signIn = signIn
window.emittedEvents = []
window.createClient = (settings) => {
  const client = signIn.createSigninClient(settings)
  for (const name of events) client.on(name, (payload) => window.emittedEvents.push(payload instanceof Error ? name + ': ' + payload.message : name))
  window.client = client
  return client
}
window.settle = async (promise) => {
  try {
    return { value: structuredClone(await promise) }
  } catch (error) {
    const { name, message, code, description, cause } = error
    return { error: { name, message, code, description, cause: String(cause) } }
  }
}
const settings = JSON.parse(localStorage.getItem('settings') ?? 'null')
if (settings?.userStore) settings.userStore = window[settings.userStore]
if (settings) window.createClient(settings)
if (location.pathname === '/callback') window.outcome = window.settle(window.client.signinCallback())
if (location.pathname === '/signed-out') window.outcome = window.settle(window.client.signoutCallback())
window.isReady = true
</script>
</body>
</html>`
