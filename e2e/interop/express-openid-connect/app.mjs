import { randomBytes } from 'node:crypto'
import express from 'express'
import { auth } from 'express-openid-connect'
import createMemoryStore from 'memorystore'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const MemoryStore = createMemoryStore(auth)

const app = express()
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: randomBytes(32).toString('hex'),
    authRequired: false,
    // The default, an ID token without a code, gives no access token and no refresh token.
    authorizationParams: { response_type: 'code' },
    idpLogout: true,
    backchannelLogout: { store: new MemoryStore({}) },
  }),
)
app.get('/me', (request, response) => {
  if (request.oidc.isAuthenticated()) response.json(request.oidc.user)
  else response.status(401).json({})
})
app.get('/userinfo', async (request, response) => response.json(await request.oidc.fetchUserInfo()))
app.get('/refresh', async (request, response) => {
  const before = request.oidc.accessToken.access_token
  const { access_token: after } = await request.oidc.accessToken.refresh()
  response.json({ isNew: after !== before })
})
app.get('/', (_request, response) => response.send('home'))
app.listen(PORT, '127.0.0.1', () => console.log('listening'))
