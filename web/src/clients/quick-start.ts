/** The values that a quick start is filled in with. */
export interface QuickStartClient {
  issuer: string
  clientId: string
  /** Undefined for an application without users. */
  redirectUri: string | undefined
  isConfidential: boolean
  scopes: string[]
}

export const quickStartLanguages = ['Node.js', 'Python', 'Go', 'C#'] as const
export type QuickStartLanguage = (typeof quickStartLanguages)[number]

const secretVariable = 'PASSPORT_CLIENT_SECRET'

/** Returns the code that signs users in, with a well-kept library of the language. */
export function writeSignIn(language: QuickStartLanguage, client: QuickStartClient): string {
  const redirectUri = client.redirectUri ?? ''
  const path = URL.parse(redirectUri)?.pathname ?? '/callback'
  const values = { ...client, redirectUri, path }
  const { [language]: write } = { 'Node.js': writeNode, Python: writePython, Go: writeGo, 'C#': writeCSharp }
  return write(values)
}

type Values = QuickStartClient & { redirectUri: string; path: string }

/** Libraries refuse an issuer without TLS, which only a server on the developer's machine has. */
const isPlain = ({ issuer }: Values) => issuer.startsWith('http:')

function writeNode(values: Values) {
  const { issuer, clientId, redirectUri, isConfidential } = values
  const parameters = isConfidential ? [`process.env.${secretVariable},`] : ['undefined,', 'client.None(),']
  if (isPlain(values)) {
    if (isConfidential) parameters.push('undefined,')
    parameters.push('{ execute: [client.allowInsecureRequests] }, // for localhost only')
  }
  return `// npm install openid-client
import * as client from 'openid-client'

const passport = await client.discovery(
  new URL('${issuer}'),
  '${clientId}',
  ${parameters.join('\n  ')}
)
const codeVerifier = client.randomPKCECodeVerifier() // keep it for this visitor
const url = client.buildAuthorizationUrl(passport, {
  redirect_uri: '${redirectUri}',
  scope: 'openid profile email',
  code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
})
// Redirect to url. On the page of the redirect URI:
const tokens = await client.authorizationCodeGrant(passport, callbackUrl, {
  pkceCodeVerifier: codeVerifier,
})
const { sub } = tokens.claims()
const user = await client.fetchUserInfo(passport, tokens.access_token, sub)
console.log(user.name)`
}

const writePython = ({
  issuer,
  clientId,
  redirectUri,
  path,
  isConfidential,
}: Values) => `# pip install authlib flask requests
import os
from authlib.integrations.flask_client import OAuth
from flask import Flask

app = Flask(__name__)
app.secret_key = os.environ['SESSION_SECRET']
passport = OAuth(app).register(
    'passport',
    client_id='${clientId}',${isConfidential ? `\n    client_secret=os.environ['${secretVariable}'],` : ''}
    server_metadata_url='${issuer}/.well-known/openid-configuration',
    client_kwargs={'scope': 'openid profile email', 'code_challenge_method': 'S256'},
)

@app.get('/login')
def login():
    return passport.authorize_redirect('${redirectUri}')

@app.get('${path}')
def callback():
    return passport.userinfo(token=passport.authorize_access_token())`

const writeGo = ({
  issuer,
  clientId,
  redirectUri,
  isConfidential,
}: Values) => `// go get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2
provider, err := oidc.NewProvider(ctx, "${issuer}")
if err != nil {
	return err
}
config := oauth2.Config{
	ClientID:     "${clientId}",${isConfidential ? `\n	ClientSecret: os.Getenv("${secretVariable}"),` : ''}
	Endpoint:     provider.Endpoint(),
	RedirectURL:  "${redirectUri}",
	Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
}
verifier := oauth2.GenerateVerifier() // keep it and state for this visitor
url := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
// Redirect to url. In the handler of the redirect URI:
token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
if err != nil {
	return err
}
user, err := provider.UserInfo(ctx, config.TokenSource(ctx, token))`

function writeCSharp(values: Values) {
  const { issuer, clientId, path, isConfidential } = values
  const secret = isConfidential && `options.ClientSecret = builder.Configuration["${secretVariable}"];`
  const plain = isPlain(values) && 'options.RequireHttpsMetadata = false; // for localhost only'
  return `// dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = "${issuer}";
        options.ClientId = "${clientId}";${[secret, plain].map((line) => (line ? `\n        ${line}` : '')).join('')}
        options.ResponseType = "code"; // with PKCE, by default
        options.CallbackPath = "${path}";
        options.Scope.Add("email");
        options.GetClaimsFromUserInfoEndpoint = true;
    });`
}

/** Returns the call that gets a token for the application itself (RFC 6749, section 4.4). */
export const writeTokenRequest = ({ issuer, clientId, scopes }: QuickStartClient): string =>
  `curl '${issuer}/connect/token' \\
  -u "${clientId}:$${secretVariable}" \\
  -d grant_type=client_credentials \\
  -d scope='${scopes.join(' ')}'`
