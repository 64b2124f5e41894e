import { listGroups } from '@passport/contract/groups'
import type { Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { query, toFailure } from '../app/api.ts'
import { RecentEvents, useRecentEvents } from '../audit/Sentence.tsx'
import { CardFoot, CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { DomainStatus } from '../directory/DomainStatus.tsx'
import type { LinkTo } from '../directory/list-page.ts'
import { formatCount } from '../directory/total.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { accountArea, adminArea, type OrgArea } from './org-area.ts'

const OrgBrandingCard = lazyPart(async () => (await import('./OrgBrandingCard.tsx')).OrgBrandingCard)
const SetupLinks = lazyPart(async () => (await import('../setup/SetupLinks.tsx')).SetupLinks)
const TenantOverview = lazyPart(async () => (await import('../entra/OrgTenant.tsx')).TenantOverview)

export const OrgPage = () => (
  <OrgFrame
    area={adminArea}
    rail={(org) => (
      <>
        <DomainsCard org={org} canManage />
        <GroupsCard org={org} />
      </>
    )}
  >
    {(tab) => <AdminOverview {...tab} />}
  </OrgFrame>
)
export const OwnOrgPage = () => <OrgFrame area={accountArea}>{(tab) => <OwnOverview {...tab} />}</OrgFrame>

/** The maximum of rows in a card; the tabs have all of them. */
const maxRows = 5

/** The pictures in the line of members. */
const maxPictures = 8

function useMembers({ area, org }: Pick<OrgTab, 'area' | 'org'>) {
  const params = { orgId: org.id }
  return {
    owners: useQuery(query(area.listMembers, { params, query: { role: 'owner', limit: maxRows } })),
    members: useQuery(query(area.listMembers, { params, query: { limit: maxPictures } })),
  }
}
type Members = ReturnType<typeof useMembers>

const isPending = ({ owners, members }: Members) => owners.isPending || members.isPending

/** The members and latest changes of an organisation. */
function AdminOverview({ area, org }: OrgTab) {
  const members = useMembers({ area, org })
  const events = useRecentEvents('org', org.id)
  // The cards appear together: each would push down those below it.
  if (isPending(members) || events.isPending) return <Loading />
  return (
    <>
      {org.entra && (
        <Suspense fallback={<div className="skeleton h-44" />}>
          <TenantOverview org={org} />
        </Suspense>
      )}
      {org.entra && !org.entra.signInEnabled && <SetupLinksCard org={org} isAdmin />}
      <MembersCard area={area} org={org} {...members} />
      <Suspense fallback={<div className="skeleton h-24" />}>
        <OrgBrandingCard org={org} />
      </Suspense>
      <RecentEvents kind="org" id={org.id} />
    </>
  )
}

/** The first groups of an organisation. */
function GroupsCard({ org }: { org: Org }) {
  const groups = useQuery(query(listGroups, { query: { orgId: org.id, limit: maxRows } }))
  if (groups.error) return <ErrorCard failure={toFailure(groups.error)} onRetry={() => void groups.refetch()} />
  return (
    <Card
      title="Groups"
      action={
        <Link to="/admin/groups" className="link text-[13px]">
          All groups
        </Link>
      }
    >
      {groups.isPending && <Skeleton label="Loading the groups" rows={2} />}
      {groups.data?.items.length === 0 && <CardText>No groups</CardText>}
      <CardRows>
        {groups.data?.items.map(
          (group) =>
            'name' in group && (
              <CardRow
                key={group.id}
                picture={<ObjectIcon kind="group" />}
                name={
                  <Link to="/admin/groups/$groupId" params={{ groupId: group.id }} className="hover:underline">
                    {group.name}
                  </Link>
                }
                aside={formatCount(group.memberCount, ['member', 'members'])}
              />
            ),
        )}
      </CardRows>
    </Card>
  )
}

function OwnOverview({ area, org, canManageOwners }: OrgTab) {
  const members = useMembers({ area, org })
  if (isPending(members)) return <Loading />
  return (
    <>
      {org.entra && canManageOwners && <SetupLinksCard org={org} isAdmin={false} />}
      <MembersCard area={area} org={org} {...members} />
      <DomainsCard org={org} />
    </>
  )
}

const SetupLinksCard = (props: { org: Org; isAdmin: boolean }) => (
  <Suspense fallback={<div className="skeleton h-24" />}>
    <SetupLinks {...props} />
  </Suspense>
)

function Loading() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <span className="sr-only">Loading overview</span>
      <div className="skeleton h-32" />
      <div className="skeleton h-32" />
    </div>
  )
}

interface TabLinkProps {
  area: OrgArea
  org: Org
  path: '/members' | '/domains'
  label: string
}

const TabLink = ({ area, org, path, label }: TabLinkProps) => (
  <Link to={`${area.page}${path}` as LinkTo['to']} params={{ orgId: org.id } as never} className="link text-[13px]">
    {label}
  </Link>
)

function MembersCard({ area, org, owners, members }: { area: OrgArea; org: Org } & Members) {
  if (owners.error) return <ErrorCard failure={toFailure(owners.error)} onRetry={() => void owners.refetch()} />
  const { items = [], next = null } = owners.data ?? {}
  // The owners have rows of their own.
  const others = members.data?.items.filter(({ id }) => !items.some((owner) => owner.id === id)) ?? []
  const hidden = org.memberCount - items.length - others.length
  const allMembers = <TabLink area={area} org={org} path="/members" label="All members" />
  return (
    <Card title={formatCount(org.memberCount, ['member', 'members'])} action={allMembers}>
      {items.length === 0 && <CardText>No owner</CardText>}
      <CardRows>
        {items.map(({ id, name, username, avatarPngUrl, since }) => (
          <CardRow
            key={id}
            picture={<Avatar id={id} name={name} picture={avatarPngUrl} size={32} />}
            name={
              area.isAdmin ? (
                <Link to="/admin/users/$userId" params={{ userId: id }} className="hover:underline">
                  {name}
                </Link>
              ) : (
                name
              )
            }
            detail={username && `@${username}`}
            aside={
              <>
                <Tag>Owner</Tag>{' '}
                <span className="max-sm:hidden">
                  since <RelativeTime at={since} inSentence />
                </span>
              </>
            }
          />
        ))}
      </CardRows>
      {next !== null && <CardFoot>{allMembers}</CardFoot>}
      {others.length > 0 && (
        <p
          aria-hidden="true"
          className="flex flex-wrap gap-y-1 border-t border-hair py-3 pr-4 pl-6 sm:pr-[18px] sm:pl-[26px]"
        >
          {others.map(({ id, name, avatarPngUrl }) => (
            <span key={id} title={name} className="-ml-2 rounded-full border-2 border-card">
              <Avatar id={id} name={name} picture={avatarPngUrl} size={36} />
            </span>
          ))}
          {hidden > 0 && (
            <span className="-ml-2 grid h-[40px] min-w-[40px] place-items-center rounded-full border-2 border-card bg-well px-2 text-[13px] font-[560] text-ink2">
              +{hidden.toLocaleString('en')}
            </span>
          )}
        </p>
      )}
    </Card>
  )
}

function DomainsCard({ org, canManage }: { org: Org; canManage?: true }) {
  return (
    <Card
      title="Domains"
      description={!canManage && 'Managed by an administrator.'}
      action={canManage && <TabLink area={adminArea} org={org} path="/domains" label="Manage domains" />}
    >
      {org.domains.length === 0 && <CardText>No domains</CardText>}
      <CardRows>
        {org.domains.map((domain) => (
          <CardRow key={domain.domain} name={domain.domain} aside={<DomainStatus domain={domain} />} />
        ))}
      </CardRows>
    </Card>
  )
}
