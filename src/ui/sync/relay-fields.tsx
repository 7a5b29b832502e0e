// The two things a person types to name a relay: its address, and the account token of an operator. Used where an account is made and where
// one is joined.
import { TextField } from '../shell/controls.tsx';
import { SecretField } from '../shell/secret-field.tsx';

interface FieldProps {
  label: string;
  hint: string;
  value: string;
  onChange: (value: string) => void;
}

export function RelayAddressField({ onChange, ...rest }: FieldProps) {
  return (
    <TextField
      {...rest}
      placeholder="wss://relay.example"
      inputMode="url"
      autoCapitalize="off"
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function AccountTokenField({ onChange, ...rest }: FieldProps) {
  return <SecretField {...rest} autoComplete="off" onChange={(event) => onChange(event.target.value)} />;
}
