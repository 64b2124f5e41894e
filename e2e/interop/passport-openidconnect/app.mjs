import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const home = `http://localhost:${PORT}/`
const metadata = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json()

const strategy = new OpenIDConnectStrategy(
  {
    issuer: metadata.issuer,
    authorizationURL: metadata.authorization_endpoint,
    tokenURL: metadata.token_endpoint,
    userInfoURL: metadata.userinfo_endpoint,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    callbackURL: '/callback',
    scope: ['profile', 'email'],
  },
  // With nine parameters the strategy reads the user info, too.
  (_issuer, userInfo, profile, _context, idToken, _accessToken, refreshToken, _params, done) =>
    done(null, { sub: profile.id, name: profile.displayName, userInfo: userInfo._json, idToken, refreshToken }),
)
passport.use(strategy)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/login', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failWithError: true }))
app.get('/me', ({ user }, response) => response.status(user ? 200 : 401).json(user ?? {}))
app.get('/userinfo', ({ user }, response) => response.json(user.userInfo))
app.get('/refresh', ({ user }, response) => {
  // The library leaves refreshing to the OAuth client inside it.
  strategy._oauth2.getOAuthAccessToken(
    user.refreshToken,
    { grant_type: 'refresh_token' },
    (error, accessToken, refreshToken) => {
      if (error) return response.status(500).json(error)
      user.refreshToken = refreshToken
      return response.json({ isNew: typeof accessToken === 'string' })
    },
  )
})
app.get('/logout', (request, response) => {
  const { idToken } = request.user
  request.logout(() => {
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: home })
    response.redirect(`${metadata.end_session_endpoint}?${query}`)
  })
})
app.get('/', (_request, response) => response.send('home'))
app.listen(PORT, '127.0.0.1', () => console.log('listening'))
