import type { FieldValues, Path } from 'react-hook-form'
import type { RecordForm } from '../directory/record-form.ts'
import { TextArea } from '../ui/TextArea.tsx'

/** The description field of a role, shared by its forms. */
export function DescriptionField<V extends FieldValues & { description: string }>({
  record,
}: {
  record: RecordForm<V>
}) {
  const name = 'description' as Path<V>
  return (
    <TextArea
      label="Description"
      rows={2}
      hint="What this role allows, in one line."
      error={record.errorOf(name)}
      {...record.form.register(name)}
    />
  )
}
