import { createServer } from 'node:http'
import * as client from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const home = `http://localhost:${PORT}`
const redirectUri = `${home}/callback`
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests],
})

/** This application has one user, so it keeps one sign-in in memory. */
let request
let tokens

const pages = {
  '/login': async () => {
    request = { codeVerifier: client.randomPKCECodeVerifier(), state: client.randomState() }
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(request.codeVerifier),
      code_challenge_method: 'S256',
      state: request.state,
    })
    return { location: url.href }
  },
  '/callback': async (url) => {
    const { codeVerifier: pkceCodeVerifier, state: expectedState } = request
    tokens = await client.authorizationCodeGrant(config, url, { pkceCodeVerifier, expectedState })
    return { location: '/' }
  },
  '/me': () => (tokens ? { json: tokens.claims() } : { status: 401, json: {} }),
  '/userinfo': async () => ({ json: await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub) }),
  '/refresh': async () => {
    const { access_token: before } = tokens
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token)
    const idToken = refreshed.id_token ?? tokens.id_token
    Object.assign(tokens, refreshed, { id_token: idToken })
    return { json: { isNew: refreshed.access_token !== before } }
  },
  '/logout': () => {
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${home}/`,
    })
    tokens = undefined
    return { location: url.href }
  },
  '/': () => ({ json: 'home' }),
}

createServer(async ({ url: path }, response) => {
  const url = new URL(path, home)
  try {
    const { location, status = 200, json } = (await pages[url.pathname]?.(url)) ?? { status: 404 }
    if (location) response.writeHead(302, { location }).end()
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  } catch (error) {
    response.writeHead(500).end(`${error.stack} ${error.cause}`)
  }
}).listen(PORT, '127.0.0.1', () => console.log('listening'))
