import * as accounts from '../accounts/problems.ts'
import * as branding from '../branding/problems.ts'
import * as clients from '../clients/problems.ts'
import * as connections from '../connections/problems.ts'
import * as content from '../content/problems.ts'
import * as cors from '../cors/problems.ts'
import * as developerTokens from '../developer-tokens/problems.ts'
import * as deviceAuthorization from '../device-authorization/problems.ts'
import * as enrolment from '../enrolment/problems.ts'
import * as entitlements from '../entitlements/problems.ts'
import * as entra from '../entra/problems.ts'
import * as groups from '../groups/problems.ts'
import * as health from '../health/problems.ts'
import type { ProblemKind } from '../http/problem.ts'
import * as http from '../http/problems.ts'
import * as identityApis from '../identity-apis/problems.ts'
import * as invitations from '../invitations/problems.ts'
import * as join from '../join/problems.ts'
import * as localDirectory from '../local-directory/problems.ts'
import * as login from '../login/problems.ts'
import * as mail from '../mail/problems.ts'
import * as marketplace from '../marketplace/problems.ts'
import * as orgs from '../orgs/problems.ts'
import * as permissions from '../permissions/problems.ts'
import * as personalTokens from '../personal-tokens/problems.ts'
import * as preferences from '../preferences/problems.ts'
import * as profile from '../profile/problems.ts'
import * as provider from '../provider/problems.ts'
import * as roles from '../roles/problems.ts'
import * as scim from '../scim/problems.ts'
import * as setup from '../setup/problems.ts'
import * as signInTraces from '../sign-in-traces/problems.ts'
import * as users from '../users/problems.ts'

type Kinds = Readonly<Record<string, ProblemKind | Readonly<Record<string, ProblemKind>>>>

/** The table of each feature; `http` has the problems of every endpoint. */
const tables: Record<string, Kinds> = {
  http,
  accounts,
  clients,
  connections,
  content,
  branding,
  cors,
  'developer-tokens': developerTokens,
  'device-authorization': deviceAuthorization,
  entitlements,
  entra,
  groups,
  health,
  'identity-apis': identityApis,
  invitations,
  join,
  'local-directory': localDirectory,
  login,
  mail,
  marketplace,
  orgs,
  permissions,
  'personal-tokens': personalTokens,
  preferences,
  profile,
  provider,
  roles,
  scim,
  setup,
  enrolment,
  'sign-in-traces': signInTraces,
  users,
}

/** The documentation of an error code; one code may stand for several conditions. */
export interface ErrorEntry {
  feature: string
  code: string
  status: number
  meaning: string
  remedy: string
}

/** Sorts by code. Among the conditions of a code, the general one with the shortest sentence is first. */
const compareEntries = (a: ErrorEntry, b: ErrorEntry) =>
  a.code.localeCompare(b.code, 'en') ||
  a.status - b.status ||
  a.meaning.length - b.meaning.length ||
  a.meaning.localeCompare(b.meaning, 'en')

/** Every problem of the service, by feature and code. */
export const errorEntries: ErrorEntry[] = Object.entries(tables).flatMap(([feature, kinds]) =>
  Object.values(kinds)
    .flatMap((kind) => (typeof kind === 'function' ? [kind] : Object.values(kind)))
    .map(({ code, status, meaning, remedy }) => ({ feature, code, status, meaning, remedy }))
    .sort(compareEntries),
)

const entriesByCode = Map.groupBy(errorEntries, ({ code }) => code)

/** Returns the conditions of a code; an empty list for an unknown one. */
export const findErrors = (code: string): ErrorEntry[] => entriesByCode.get(code) ?? []
