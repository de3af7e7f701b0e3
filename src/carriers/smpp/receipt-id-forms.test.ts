import assert from 'node:assert/strict';
import test from 'node:test';
import { matchesOf, ReceiptIdForms, refsByForm } from './receipt-id-forms.ts';

test('an id has a reference for each form, and forms that give the same one share it', () => {
  assert.deepEqual(
    [...refsByForm('1a', 'tolerant')],
    [
      ['1a', ['same', 'decimalToHex']],
      ['26', ['hexToDecimal']],
    ],
  );
  assert.deepEqual([...refsByForm('26', 'tolerant').keys()], ['26', '38', '1a']);
  assert.deepEqual([...refsByForm('msg-7', 'tolerant').values()], [['same', 'hexToDecimal', 'decimalToHex']]);
});

test('only references of messages with the recipient of the receipt match', () => {
  const known = new Map([
    ['26', ['+14155550000', '+14155550123']],
    ['38', ['+14155559999']],
  ]);
  assert.deepEqual(matchesOf(['26', '38', '1a'], { to: '14155550123' }, known), ['26']);
  const reversed = { to: '0212345678', from: '14155550123' };
  assert.deepEqual(matchesOf(['26', '38', '1a'], reversed, known), ['26']);
});

test('eight votes and four of five decide', () => {
  const forms = new ReceiptIdForms();
  for (let count = 0; count < 7; count++) forms.vote(['hexToDecimal']);
  assert.equal(forms.learned, undefined);
  forms.vote(['hexToDecimal']);
  assert.equal(forms.learned, 'hexToDecimal');

  const torn = new ReceiptIdForms();
  for (let count = 0; count < 7; count++) {
    torn.vote(['hexToDecimal']);
    if (count % 2 === 0) torn.vote(['same']);
  }
  torn.vote(['hexToDecimal']);
  assert.equal(torn.learned, undefined);
  for (let count = 0; count < 8; count++) torn.vote(['hexToDecimal']);
  assert.equal(torn.learned, 'hexToDecimal');
});

test('what matches in several forms is no vote', () => {
  const forms = new ReceiptIdForms();
  for (let count = 0; count < 100; count++) {
    forms.vote(['same', 'decimalToHex']);
    forms.vote([]);
  }
  assert.equal(forms.learned, undefined);
});

test('twenty receipts in a row that match nothing make it look again, with the form it had', () => {
  const forms = new ReceiptIdForms();
  for (let count = 0; count < 8; count++) forms.vote(['decimalToHex']);
  for (let count = 0; count < 19; count++) forms.unmatched();
  forms.matched();
  for (let count = 0; count < 19; count++) forms.unmatched();
  assert.equal(forms.learned, 'decimalToHex');
  forms.unmatched();
  assert.deepEqual([forms.learned, forms.form], [undefined, 'decimalToHex']);
});
