// Fields that name a relay: its address, and an operator's account token. Used to create an account and to join
// one.
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
