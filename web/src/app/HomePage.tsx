import { listActivity, listLogins, listSessions } from '@passport/contract/accounts'
import type { CurrentUser } from '@passport/contract/current-user'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Avatar } from '../ui/Avatar.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { formatMachineReadableLines } from '../ui/mrz.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { formatActivity } from './activity.ts'
import { query } from './api.ts'
import { brandName } from './brand.ts'
import { listSections, signedInPages } from './destinations.ts'
import { useCurrentUser } from './page-user.ts'
import { useProviderName } from './provider-names.ts'
import { signInUrl } from './return-url.ts'
import { Tile, TileGrid } from './Tile.tsx'

/** The home page: the brand and a sign-in link, or the user's identity and pages. */
export function HomePage() {
  const user = useCurrentUser()
  return user ? <SignedIn user={user} /> : <SignedOut />
}

function SignedOut() {
  return (
    <div className="mx-auto grid max-w-md justify-items-center py-[12vh] text-center">
      <Identicon seed="stage" size={140} isGold />
      <h1 className="mt-8 text-[32px]">{brandName}</h1>
      <p className="mt-3 text-[15px] text-ink2">One account for everything on Stage.</p>
      <a className={`${buttonClass('primary')} mt-7 h-11 px-7 text-[15px]`} href={signInUrl('/app/')}>
        Sign in
      </a>
    </div>
  )
}

function SignedIn({ user }: { user: CurrentUser }) {
  return (
    <div className="grid gap-6">
      <h1 className="sr-only">Home</h1>
      <IdentityCard user={user} />
      <Suggestions />
      <TileGrid label="Pages">
        {signedInPages.slice(1).map((tile) => (
          <Tile key={tile.to} {...tile} />
        ))}
        {listSections(user).flatMap(({ pages }) =>
          pages.map((page) => page.tile && <Tile key={page.to} {...page} label={page.tile} />),
        )}
      </TileGrid>
      <RecentSignIns />
    </div>
  )
}

/** The user's identity, styled like the data page of a passport. */
function IdentityCard({ user: { claims, roles, orgs } }: { user: CurrentUser }) {
  const nameOf = useProviderName()
  const name = claims.name ?? claims.preferred_username ?? 'No name'
  const fields = [
    ['Username', claims.preferred_username],
    ['Email', claims.email],
    ['Organisation', orgs.map((org) => org.name).join(', ')],
    ['Signed in with', nameOf(claims.idp)],
  ].filter(([, value]) => value)
  return (
    <section aria-label="Your identity" className="guilloche guilloche-right card overflow-hidden">
      <div className="flex flex-wrap gap-x-7 gap-y-5 p-6">
        <Avatar id={claims.sub} name={name} size={88} />
        <div className="min-w-0 flex-1 basis-64">
          <p className="text-[24px] leading-tight font-[640] tracking-[-0.02em] break-words">{name}</p>
          <p className="mt-2 flex flex-wrap gap-1.5">
            {roles.length > 0 ? (
              roles.map((role) => <Tag key={role}>{role}</Tag>)
            ) : (
              <span className="text-ink3">No roles</span>
            )}
          </p>
          <dl className="mt-4 grid grid-cols-[repeat(auto-fill,minmax(150px,1fr))] gap-x-6 gap-y-3">
            {fields.map(([label, value]) => (
              <div key={label} className="min-w-0">
                <dt className="text-[12px] font-[560] text-ink3">{label}</dt>
                <dd className="break-words">{value}</dd>
              </div>
            ))}
            <div className="min-w-0 sm:col-span-2">
              <dt className="text-[12px] font-[560] text-ink3">ID</dt>
              <dd className="flex items-center">
                <code className="truncate font-mono text-[12.5px]">{claims.sub}</code>
                <CopyButton text={claims.sub} label="Copy your ID" />
              </dd>
            </div>
          </dl>
        </div>
      </div>
      <p
        aria-hidden="true"
        className="overflow-hidden border-t border-line bg-well px-6 py-3 font-mono text-[11px] leading-[1.7] tracking-[.14em] whitespace-nowrap text-ink3"
      >
        {formatMachineReadableLines(name, claims.sub).map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </p>
    </section>
  )
}

/** Security suggestions for the user; renders nothing without any. */
function Suggestions() {
  const { data: logins } = useQuery(query(listLogins, {}))
  const { data: sessions } = useQuery(query(listSessions, {}))
  const otherSessions = sessions?.filter(({ current }) => !current).length ?? 0
  const suggestions = [
    logins?.length === 1 && "You have one sign-in method. Add another so you don't get locked out.",
    otherSessions > 0 &&
      `You're signed in on ${otherSessions === 1 ? '1 other device' : `${otherSessions} other devices`}.`,
  ].filter((suggestion) => suggestion !== false)
  if (suggestions.length === 0) return null
  return (
    <ul className="grid gap-2">
      {suggestions.map((suggestion) => (
        <li
          key={suggestion}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-box border border-line bg-selection px-5 py-3"
        >
          <span>{suggestion}</span>
          <Link to="/account/logins" className="link">
            Go to account
          </Link>
        </li>
      ))}
    </ul>
  )
}

function RecentSignIns() {
  const { data } = useQuery(query(listActivity, { query: { limit: 5 } }))
  const nameOf = useProviderName()
  return (
    <Card title="Recent activity" description="Sign-ins and failed attempts.">
      {data === undefined && <Skeleton label="Loading activity" rows={3} rowClass="h-6" />}
      <ul className="px-5 pb-4">
        {data?.items.map(({ id, at, ip, userAgent, ...event }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2.5 first:border-0">
            <span>
              {formatActivity(event, nameOf)} <span className="text-ink3">{ip && userAgent.browser}</span>
            </span>
            <span className="text-ink3">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
