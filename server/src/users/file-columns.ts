/** What a file of users can say about a user. `signInName` is an email address or a username. */
export type FileColumn = (typeof columns)[number]['column']

/**
 * The columns of files of users: those of Passport's own files, and what others call them. The first name of a column that
 * has a value in a row counts. Names are compared without case, spaces and punctuation, except brackets.
 */
export const columns = [
  // Entra ID: objectId. Auth0: Id. Firebase: UID.
  { column: 'id', names: ['id', 'objectId', 'object id', 'user_id', 'UID'] },
  // Keycloak, Cognito: preferred_username. Cognito: cognito:username.
  { column: 'username', names: ['username', 'preferred_username', 'cognito:username'] },
  // Entra ID: userPrincipalName. Okta: login.
  { column: 'signInName', names: ['userPrincipalName', 'login'] },
  // Auth0, Cognito, Firebase: name.
  { column: 'displayname', names: ['displayname', 'name', 'full name'] },
  { column: 'givenName', names: ['givenName', 'first name'] },
  { column: 'familyName', names: ['familyName', 'surname', 'last name'] },
  // Entra ID: mail. Google: Email Address [Required].
  { column: 'email', names: ['email', 'mail', 'email address', 'primary email'] },
  { column: 'emailVerified', names: ['emailVerified'] },
  // Entra ID's bulk creation: Block sign in (Yes/No) [accountEnabled] Required.
  { column: 'disabled', names: ['disabled', '[accountEnabled]', 'Block sign in (Yes/No)'] },
  // Entra ID's download: accountEnabled. Google: Status [READ ONLY].
  { column: 'enabled', names: ['enabled', 'accountEnabled', 'Status [READ ONLY]'] },
  { column: 'roles', names: ['roles'] },
  { column: 'groups', names: ['groups'] },
  { column: 'organisations', names: ['organisations', 'organizations'] },
  { column: 'passwordHash', names: ['passwordHash'] },
  { column: 'provider', names: ['provider'] },
  { column: 'subject', names: ['subject'] },
  { column: 'password', names: ['password', 'initial password', 'passwordProfile'] },
] as const

/** The columns that a form of a user has too, which the console's import and the command read. */
export const userColumns: readonly FileColumn[] = [
  'username',
  'signInName',
  'displayname',
  'givenName',
  'familyName',
  'email',
  'emailVerified',
  'disabled',
  'enabled',
  'roles',
]

/** The columns of `firebase auth:export`, whose files have no header. */
export const firebaseColumns = [
  ...['UID', 'Email', 'Email verified', 'Password hash of Firebase', 'Password salt', 'Name', 'Photo URL'],
  ...['Google', 'Facebook', 'Twitter', 'GitHub'].flatMap((provider) =>
    ['id', 'email', 'display name', 'photo URL'].map((field) => `${provider} ${field}`),
  ),
  ...['Created at', 'Last sign-in at', 'Phone number', 'Disabled', 'Custom claims'],
]

/** Longer headers name no column. Unicode sorts the marks of a letter in time that grows with the square of their number. */
const maxHeader = 200

/** Keeps separators: a name that contains one was split by another. */
const normalise = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}[\],;\t]/gu, '')

const columnsByName = new Map(
  columns.flatMap(({ column, names }) => names.map((name, rank) => [normalise(name), { column, rank }] as const)),
)

/** A column of the table by one of its names; `rank` orders the names of a column. */
export interface NamedColumn {
  column: FileColumn
  rank: number
}

/**
 * Finds the column of a header, such as `First Name [Required]` of Google or `Name [displayName] Required` of Entra ID, whose
 * templates are translated except for the brackets.
 */
export function findColumn(header: string): NamedColumn | undefined {
  if (header.length > maxHeader) return undefined
  const name = normalise(header)
  const [bracket = '', inner = ''] = /\[([^\][]*)\]/.exec(name) ?? []
  const candidates = [name, bracket, inner, name.replace(bracket, '')]
  return candidates.map((candidate) => columnsByName.get(candidate)).find(Boolean)
}
