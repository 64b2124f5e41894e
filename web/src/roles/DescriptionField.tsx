import type { FieldValues, Path } from 'react-hook-form'
import type { RecordForm } from '../directory/record-form.ts'
import { TextArea } from '../ui/TextArea.tsx'

/** The field for what a role is for, wherever it is asked. */
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
      hint="What whoever has it may do, in one line."
      error={record.errorOf(name)}
      {...record.form.register(name)}
    />
  )
}
