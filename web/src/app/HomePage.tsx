import { listActivity, listLogins, listSessions } from '@passport/contract/accounts'
import type { CurrentUser } from '@passport/contract/current-user'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Avatar } from '../ui/Avatar.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import { Tag } from '../ui/Tag.tsx'
import { formatActivity, needsAttention } from './activity.ts'
import { query } from './api.ts'
import { brandLogo, brandName, homeText } from './brand.ts'
import { hasRole } from './current-user.ts'
import { descriptions } from './descriptions.ts'
import { type Destination, listSections, signedInPages } from './destinations.ts'
import { NextSteps } from './NextSteps.tsx'
import { useCurrentUser } from './page-user.ts'
import { useSignInUrl } from './sign-in-url.ts'

const PublishedText = lazyPart(async () => (await import('../content/PublishedText.tsx')).PublishedText)
/** The slots with a published text, which the server writes into the document. */
const published = document.querySelector<HTMLMetaElement>('meta[name="contents"]')?.content.split(' ') ?? []

const AdminHome = lazyPart(async () => (await import('../overview/AdminHome.tsx')).AdminHome)

/** The home page: for administrators the figures of the installation, for other users their identity and pages, or a sign-in link. */
export function HomePage() {
  const user = useCurrentUser()
  return (
    <Suspense fallback={<div aria-busy="true" className="min-h-dvh" />}>
      {user && published.includes('home.signedIn') && <PublishedText slug="home.signedIn" />}
      {user ? (
        <>
          {hasRole(user, 'Passport.Admin') ? <AdminHome claims={user.claims} /> : <SignedIn user={user} />}
          <p className="mt-6 flex justify-center gap-5 text-[13px] empty:hidden">
            <PageLinks />
          </p>
        </>
      ) : (
        <SignedOut />
      )}
    </Suspense>
  )
}

function SignedOut() {
  return (
    <Sheet seed="stage" picture={brandLogo?.url} title={brandName}>
      {published.includes('home.signedOut') ? (
        <PublishedText slug="home.signedOut" />
      ) : (
        <p className="text-[15px] text-ink2">{homeText}</p>
      )}
      <a className={`${buttonClass('primary')} mt-6 h-11 w-full text-[15px]`} href={useSignInUrl()}>
        Sign in
      </a>
      <p className="mt-5 flex flex-wrap justify-center gap-x-5 gap-y-2 text-[13px]">
        <Link to="/device" className="link">
          Enter a device code
        </Link>
        <a href="/docs" className="link">
          Guides
        </a>
        <PageLinks />
      </p>
    </Sheet>
  )
}

/** Links to the published pages of the server. */
const PageLinks = () =>
  ['terms', 'privacy', 'support'].map(
    (page) =>
      published.includes(page) && (
        <a key={page} href={`/${page}`} className="link capitalize">
          {page}
        </a>
      ),
  )

function SignedIn({ user }: { user: CurrentUser }) {
  const logins = useQuery(query(listLogins, {}))
  const sessions = useQuery(query(listSessions, {}))
  const isPending = logins.isPending || sessions.isPending
  const overviews = listSections(user).flatMap(({ title, pages: [page] }) => (page ? [{ ...page, label: title }] : []))
  return (
    <div className="grid grid-cols-1 gap-4">
      <h1 className="sr-only">Home</h1>
      <IdentityCard user={user} />
      {/* Together, so that no step moves the activity when it appears. */}
      {isPending ? (
        <div aria-busy="true" className="min-h-dvh" />
      ) : (
        <div className="cols">
          <div className="grid gap-4">
            <NextSteps user={user} loginCount={logins.data?.length} sessionCount={sessions.data?.length} />
            <RecentActivity />
          </div>
          <Card title="Account">
            <ul className="pb-1.5">
              {[...signedInPages.slice(1), ...overviews].map((page) => (
                <PageRow key={page.to} {...page} />
              ))}
            </ul>
          </Card>
        </div>
      )}
    </div>
  )
}

/** A page of the user, in the rail. */
function PageRow({ to, label, icon: Icon }: Destination) {
  return (
    <li className="border-t border-hair first:border-0">
      <Link to={to} className="group flex items-center gap-3.5 px-4 py-2 hover:bg-well sm:px-[18px]">
        <Icon size={18} strokeWidth={1.75} className="shrink-0 text-foil-text" />
        <span className="min-w-0">
          <span className="block font-[560] group-hover:underline">{label}</span>
          <span className="block text-[13px] text-ink2">{descriptions[to]}</span>
        </span>
      </Link>
    </li>
  )
}

/** The user's identity, styled like the data page of a passport. */
function IdentityCard({ user: { claims, roles, orgs } }: { user: CurrentUser }) {
  const name = claims.name ?? claims.preferred_username ?? 'No name'
  const fields = [
    ['Username', claims.preferred_username],
    ['Email', claims.email],
    ['Signed in with', claims.idp_name],
    [orgs.length > 1 ? 'Organisations' : 'Organisation', orgs.map((org) => org.name).join(', ')],
  ].filter(([, value]) => value)
  return (
    <section aria-label="Your identity" className="guilloche guilloche-right card overflow-hidden max-sm:before:hidden">
      <div className="flex items-center gap-4 p-4 sm:gap-6 sm:p-6">
        <Avatar id={claims.sub} name={name} picture={claims.picture} size={72} />
        <div className="min-w-0">
          <p className="text-[24px] leading-tight font-[640] tracking-[-0.02em] break-words">{name}</p>
          <p className="mt-1.5 flex flex-wrap gap-1.5">
            {roles.length > 0 ? (
              roles.map((role) => <Tag key={role}>{role}</Tag>)
            ) : (
              <span className="text-ink2">No roles yet</span>
            )}
          </p>
        </div>
      </div>
      <dl className="relative grid grid-cols-2 gap-x-4 gap-y-3 border-t border-hair bg-card px-4 py-3.5 sm:flex sm:flex-wrap sm:gap-x-10 sm:px-6">
        {fields.map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt className="text-[12px] font-[560] text-ink3">{label}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
        <div className="col-span-full flex min-w-0 items-center gap-2 text-[12px] text-ink3 w-full">
          <dt>ID</dt>
          <dd className="flex h-5 min-w-0 items-center">
            <code className="truncate font-mono">{claims.sub}</code>
            <CopyButton text={claims.sub} label="Copy your ID" />
          </dd>
        </div>
      </dl>
    </section>
  )
}

const maxEvents = 5

/** The latest events of the account. */
function RecentActivity() {
  const { data } = useQuery(query(listActivity, { query: { limit: maxEvents } }))
  return (
    <Card
      title="Recent activity"
      action={
        <Link to="/account/logins" className="link text-[13px]">
          View all
        </Link>
      }
    >
      <ul aria-busy={data === undefined} className="min-h-[60px] pb-2">
        {data?.items.map(({ id, at, userAgent: { browser }, ...event }) => (
          <li
            key={id}
            className="flex min-h-10 flex-wrap items-center gap-x-2.5 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]"
          >
            <span
              aria-hidden="true"
              className={`size-2 rounded-full ${needsAttention(event.action) ? 'bg-bad' : 'bg-ok'}`}
            />
            <p className="flex-1">{formatActivity(event)}</p>
            <p className="text-[13px] text-ink3 max-sm:ml-[18px] max-sm:basis-full">
              {browser && `${browser}, `}
              <RelativeTime at={at} inSentence />
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
