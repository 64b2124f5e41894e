import { listGroups } from '@passport/contract/groups'
import type { Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { query, toFailure } from '../app/api.ts'
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
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { accountArea, adminArea, type OrgArea } from './org-area.ts'

const TenantOverview = lazyPart(async () => (await import('../entra/OrgTenant.tsx')).TenantOverview)

export const OrgPage = () => <OrgFrame area={adminArea}>{(tab) => <AdminOverview {...tab} />}</OrgFrame>
export const OwnOrgPage = () => <OrgFrame area={accountArea}>{(tab) => <OwnOverview {...tab} />}</OrgFrame>

/** The maximum of rows in a card; the tabs have all of them. */
const maxRows = 5

function useOwners({ area, org }: Pick<OrgTab, 'area' | 'org'>) {
  return useQuery(query(area.listMembers, { params: { orgId: org.id }, query: { role: 'owner', limit: maxRows } }))
}
type Owners = ReturnType<typeof useOwners>

/** The owners, domains and groups of an organisation. */
function AdminOverview({ area, org }: OrgTab) {
  const owners = useOwners({ area, org })
  const groups = useQuery(query(listGroups, { query: { orgId: org.id, limit: maxRows } }))
  // The cards appear together: each would push down those below it.
  if (owners.isPending || groups.isPending) return <Loading />
  return (
    <>
      {org.entra && (
        <Suspense fallback={<div className="skeleton h-44" />}>
          <TenantOverview org={org} />
        </Suspense>
      )}
      <OwnersCard area={area} org={org} owners={owners} />
      <DomainsCard org={org} canManage />
      {groups.error ? (
        <ErrorCard failure={toFailure(groups.error)} onRetry={() => void groups.refetch()} />
      ) : (
        <Card
          title="Groups"
          action={
            <Link to="/admin/groups" className="link text-[13px]">
              All groups
            </Link>
          }
        >
          {groups.data.items.length === 0 && <CardText>No groups</CardText>}
          <CardRows>
            {groups.data.items.map(
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
      )}
    </>
  )
}

function OwnOverview({ area, org }: OrgTab) {
  const owners = useOwners({ area, org })
  if (owners.isPending) return <Loading />
  return (
    <>
      <OwnersCard area={area} org={org} owners={owners} />
      <DomainsCard org={org} />
    </>
  )
}

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

function OwnersCard({ area, org, owners }: { area: OrgArea; org: Org; owners: Owners }) {
  if (owners.error) return <ErrorCard failure={toFailure(owners.error)} onRetry={() => void owners.refetch()} />
  const { items = [], next = null } = owners.data ?? {}
  const members = <TabLink area={area} org={org} path="/members" label="All members" />
  return (
    <Card title="Owners" action={members}>
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
                Joined <RelativeTime at={since} inSentence />
              </>
            }
          />
        ))}
      </CardRows>
      {next !== null && <CardFoot>{members}</CardFoot>}
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
