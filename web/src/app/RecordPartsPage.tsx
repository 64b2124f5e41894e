import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { useState } from 'react'
import { type AuditItem, AuditTimeline } from '../directory/AuditTimeline.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { PasteList } from '../ui/PasteList.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { findPeople, searchPeople } from './parts-people.ts'

const id = '0199a1f0-7c3e-7000-8000-000000000001'

/** The record template with a generated group. A name that contains “stale” causes a version conflict. */
export function RecordPartsPage() {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <RecordPage
      back={{ to: '/dev/list' as never, label: 'Groups' }}
      seed={id}
      name="Night crew"
      status={<Status tone="ok">Active</Status>}
      id={id}
      actions={<Button onClick={() => void undoToast('Bo Bergström removed', async () => {})}>Remove Bo</Button>}
      tabs={[
        { to: '/dev/record' as never, label: 'Settings' },
        { to: '/dev/list' as never, label: 'Members' },
        { to: '/dev/ui' as never, label: 'Activity' },
      ]}
      summary={[
        ['Members', '1,204'],
        ['Owners', '2'],
        ['Created', <RelativeTime key="created" at="2026-03-02T10:00:00.000Z" />],
      ]}
    >
      <Settings />
      <Members />
      <Card title="Activity">
        <AuditTimeline items={events} sentence={({ actor }) => `${actor?.name ?? 'The system'} changed Night crew`} />
      </Card>
      <DangerZone>
        <DangerRow
          title="Delete this group"
          description="Members lose roles inherited from this group. You can restore it for 30 days."
          action={
            <Button variant="danger" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          }
        />
      </DangerZone>
      <TypeToConfirm
        isOpen={isDeleting}
        title="Delete Night crew?"
        phrase="Night crew"
        action="Delete group"
        onConfirm={() => setDeleting(false)}
        onClose={() => setDeleting(false)}
      >
        1,204 users lose roles inherited from this group.
      </TypeToConfirm>
    </RecordPage>
  )
}

const server = { values: { name: 'Night crew', description: 'From ten to six' }, version: 17 }

function Settings() {
  const [saved, setSaved] = useState(server)
  const record = useRecordForm({
    saved,
    labels: { name: 'Name', description: 'Description' },
    save: async (values, { ifMatch }) => {
      if (values.name === '') throw createError(400, 'name-invalid', [{ field: 'name', message: 'Enter a name.' }])
      if (values.name.includes('stale') && ifMatch === '"17"') throw createError(412, 'group-version-conflict', [])
      setSaved(({ version }) => ({ values, version: version + 1 }))
    },
    reload: async () => ({ values: { name: 'Late crew', description: 'From ten to seven' }, version: 18 }),
  })
  return (
    <RecordFormFrame record={record} recordLabel="this group">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" error={record.errorOf('name')} {...record.form.register('name')} />
          <TextArea
            label="Description"
            error={record.errorOf('description')}
            {...record.form.register('description')}
          />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function createError(status: number, code: string, faults: { field: string; message: string }[]): ApiError {
  const errors = faults.map((fault) => ({ ...fault, code }))
  return new ApiError(new Response(null, { status }), '', { code, status, errors, traceId: '0af7' })
}

const effect: RoleEffect = {
  gains: [{ role: 'Passport.Admin', people: 12, sample: [{ id, name: 'Ana Abara' }] }],
  loses: [{ role: 'Passport.Developer', people: 1, sample: [{ id, name: 'Bo Bergström' }] }],
}

function Members() {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [isPasting, setPasting] = useState(false)
  const { change, dialog } = usePreview()
  const add = () =>
    change(async ({ preview }) => (preview ? effect : null), { title: 'Add them?', action: 'Add members' })
  return (
    <Card title="Members" action={<Button onClick={() => setPasting(true)}>Paste a list</Button>}>
      <div className="grid gap-3 px-5 pb-5">
        <Picker
          label="Add members"
          placeholder="Name or email"
          search={searchPeople}
          picked={picked}
          onPick={setPicked}
        />
        <Button className="w-fit" variant="primary" onClick={() => void add()}>
          Add
        </Button>
      </div>
      {dialog}
      <PasteList
        isOpen={isPasting}
        title="Paste a list"
        inputLabel="IDs, usernames or email addresses"
        check={async (lines) =>
          lines.map((line) => {
            const [person] = findPeople(line)
            return person ? { line, match: person } : { line, fault: 'No match' }
          })
        }
        onAdd={(found) => setPicked((all) => [...all, ...found])}
        onClose={() => setPasting(false)}
      />
    </Card>
  )
}

const events: AuditItem[] = [0, 1, 30].map((hours) => ({
  id: String(hours),
  at: new Date(Date.now() - hours * 3_600_000).toISOString(),
  action: 'group.changed',
  actor: hours === 1 ? null : { id: `0199${hours}`, name: 'Rosa Visser' },
  target: { kind: 'group', id, name: 'Night crew' },
  before: { name: 'Crew', description: '', roles: ['Passport.Developer'] },
  after: { name: 'Night crew', description: '', roles: [] },
  reason: null,
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chromium/140',
  traceId: '0af7651916cd43dd8448eb211c80319c',
}))
