import { deleteGroup, type Group, getGroup, putGroup, restoreGroup } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { type Area, listLinks } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const AdminSettingsPage = () => <SettingsPage area="admin" />
export const OwnSettingsPage = () => <SettingsPage area="account" />

function SettingsPage({ area }: { area: Area }) {
  return (
    <GroupFrame area={area}>
      {(group) => (
        <>
          <DetailsForm group={group} />
          <GroupDangerZone area={area} group={group} />
        </>
      )}
    </GroupFrame>
  )
}

const toSaved = ({ name, description, version }: Group) => ({ values: { name, description }, version })

function DetailsForm({ group }: { group: Group }) {
  const record = useRecordForm({
    saved: toSaved(group),
    labels: { name: 'Name', description: 'Description' },
    save: (body, options) => call(putGroup, { params: { groupId: group.id }, body }, options),
    reload: async () => toSaved(await call(getGroup, { params: { id: group.id } })),
    onSaved: () => {
      void refreshGroups()
      void toast({ type: 'success', content: 'Saved' })
    },
  })
  return (
    <RecordFormFrame record={record} recordLabel="this group">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...record.form.register('name')} />
          <Field
            label="Description"
            autoComplete="off"
            error={record.errorOf('description')}
            {...record.form.register('description')}
          />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function GroupDangerZone({ area, group }: { area: Area; group: Group }) {
  const [isBusy, setBusy] = useState(false)
  const { change, dialog } = usePreview()
  const navigate = useNavigate()
  const { id, name } = group

  async function remove() {
    setBusy(true)
    try {
      const confirmation = { title: `Delete ${name}?`, action: 'Delete group' }
      const version = { ifMatch: `"${group.version}"` }
      if (!(await change((query) => call(deleteGroup, { params: { id }, query }, version), confirmation))) return
      await navigate({ to: listLinks[area].to as never })
      await refreshGroups()
      const undo = () => call(restoreGroup, { params: { id }, query: {}, body: {} }).finally(refreshGroups)
      void undoToast(`${name} deleted`, undo, (error) => toFailure(error).detail)
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't delete the group: ${toFailure(error).detail}` })
      await refreshGroups()
    } finally {
      setBusy(false)
    }
  }
  return (
    <DangerZone>
      <DangerRow
        title="Delete this group"
        description="Members lose roles inherited from this group. You can restore it for 30 days."
        action={
          <Button variant="danger" isBusy={isBusy} onClick={() => void remove()}>
            Delete group
          </Button>
        }
      />
      {dialog}
    </DangerZone>
  )
}
