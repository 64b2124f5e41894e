import { Navigate, useParams } from '@tanstack/react-router'
import { type Area, listLinks } from './area.ts'

export const AdminSettingsPage = () => <SettingsPage area="admin" />
export const OwnSettingsPage = () => <SettingsPage area="account" />

/** Redirects to the first tab of a group, with its form open. */
function SettingsPage({ area }: { area: Area }) {
  const { groupId = '' } = useParams({ strict: false }) as { groupId?: string }
  const to = `${listLinks[area].to}/$groupId` as '/admin/groups/$groupId'
  return <Navigate to={to} params={{ groupId }} search={{ edit: 'true' } as never} replace />
}
