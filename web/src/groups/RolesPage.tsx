import { ApiError } from '@passport/contract/call'
import { type Group, getGroup, putGroupRoles } from '@passport/contract/groups'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { reportWithUndo } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { RolePicker } from '../directory/RolePicker.tsx'
import { formatCount } from '../directory/total.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { nouns } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const GroupRolesPage = () => <GroupFrame area="admin">{(group) => <Roles group={group} />}</GroupFrame>

const putRoles = (id: string, roles: string[], query = {}, version?: number) =>
  call(
    putGroupRoles,
    { params: { groupId: id }, query, body: { roles } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** The form of the roles that a group's members inherit. Keeps unsaved roles when another user changes the group. */
function Roles({ group }: { group: Group }) {
  const [edit, setEdit] = useState<{ base: Group; picked: string[] }>()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [latest, setLatest] = useState<Group>()
  const { change, dialog } = usePreview()
  const { base, picked } = edit ?? { base: group, picked: group.roles }
  const names = picked.toSorted()
  const isDirty = names.join() !== base.roles.toSorted().join()
  const pick = (picked: string[]) => setEdit({ base, picked })
  const draft = useDraft('roles', () => (isDirty ? names : undefined), pick)

  async function save(version: number) {
    setBusy(true)
    setFailure(undefined)
    setLatest(undefined)
    try {
      const confirmation = { title: `Save the roles of ${group.name}?`, action: 'Save roles' }
      const saved = await change((query) => putRoles(group.id, names, query, version), confirmation)
      if (saved) {
        const undo = () => putRoles(group.id, base.roles).finally(refreshGroups)
        reportWithUndo('Saved', undo)
        await refreshGroups()
        setEdit(undefined)
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 412)
        setLatest(await call(getGroup, { params: { id: group.id } }))
      else if (!(error instanceof Cancelled)) setFailure(toFailure(error))
    }
    setBusy(false)
  }

  return (
    <Card
      title="Member roles"
      description="Members inherit these roles; owners don't. Adding either requires permission to assign them."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save(base.version)
        }}
      >
        <div className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          <DraftOffer draft={draft} />
          {group.roles.length === 0 && <p className="text-ink2">No roles yet</p>}
          <RolePicker label="Roles" picked={picked} onPick={pick} />
          {failure && <ErrorCard failure={failure} />}
        </div>
        <div
          className={
            isDirty
              ? 'flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3 sm:px-[18px]'
              : 'contents'
          }
        >
          <p role="status" className="mr-auto text-ink2">
            {isDirty && describeChange(base, names)}
          </p>
          {isDirty && (
            <>
              <Button onClick={() => setEdit(undefined)}>Discard</Button>
              <Button type="submit" variant="primary" isBusy={isBusy}>
                Save roles
              </Button>
            </>
          )}
        </div>
      </form>
      {dialog}
      <LeaveGuard hasChanges={() => isDirty}>Your unsaved changes will be lost.</LeaveGuard>
      <CompareDialog
        isOpen={latest !== undefined}
        recordLabel="this group"
        differences={[
          {
            name: 'roles',
            label: 'Roles',
            mine: names.join(', '),
            theirs: latest?.roles.join(', ') ?? '',
            choice: 'mine',
          },
        ]}
        isBusy={isBusy}
        onSave={({ roles }) => {
          if (roles === 'mine' && latest) return void save(latest.version)
          setLatest(undefined)
          setEdit(undefined)
          void refreshGroups()
        }}
        onClose={() => setLatest(undefined)}
      />
    </Card>
  )
}

/**
 * Describes unsaved roles: “Adds Stage.Editor and removes Stage.Viewer for 12 members”. Saving previews the users.
 */
function describeChange({ roles, memberCount }: Group, names: string[]): string {
  const list = (verb: string, changed: string[]) => (changed.length === 0 ? [] : [`${verb} ${changed.join(', ')}`])
  const added = names.filter((name) => !roles.includes(name))
  const removed = roles.filter((name) => !names.includes(name))
  const text = [...list('adds', added), ...list('removes', removed)].join(' and ')
  return `${capitalize(text)} for ${formatCount(memberCount, nouns.members)}`
}
