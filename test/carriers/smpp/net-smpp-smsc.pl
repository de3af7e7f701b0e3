#!/usr/bin/perl
# An SMSC on Debian's Net::SMPP for tests: tells its port, then each bind and submit as a line, and answers
# every submit with an id and a delivery receipt.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
# A link may end while a receipt is written.
$SIG{PIPE} = 'IGNORE';
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, interface_version => 0x34)
    or die "cannot listen: $!";
print "listening ", $listener->sockport, "\n";

my $ids = 0;
while (my $session = $listener->accept) {
    $session->autoflush(1);
    while (my $pdu = $session->read_pdu) {
        my $cmd = $pdu->{cmd};
        if ($cmd == Net::SMPP::CMD_bind_transceiver) {
            print "bind $pdu->{system_id} $pdu->{password} $pdu->{interface_version}\n";
            $session->bind_transceiver_resp(system_id => 'perl', seq => $pdu->{seq});
        } elsif ($cmd == Net::SMPP::CMD_submit_sm) {
            my $payload = defined $pdu->{message_payload} ? $pdu->{message_payload} : '';
            my @sar = map { defined $pdu->{$_} ? unpack('H*', $pdu->{$_}) : '-' }
                qw(sar_msg_ref_num sar_total_segments sar_segment_seqnum);
            print join(' ', 'submit', $pdu->{source_addr}, $pdu->{destination_addr}, $pdu->{data_coding},
                $pdu->{esm_class}, unpack('H*', $pdu->{short_message}) || '-', unpack('H*', $payload) || '-', @sar), "\n";
            my $id = sprintf '%08X', ++$ids;
            $session->submit_sm_resp(message_id => $id, seq => $pdu->{seq});
            $session->deliver_sm(
                async            => 1,
                source_addr_ton  => $pdu->{dest_addr_ton},
                source_addr_npi  => $pdu->{dest_addr_npi},
                source_addr      => $pdu->{destination_addr},
                destination_addr => $pdu->{source_addr},
                esm_class        => 0x04,
                short_message    => "id:$id sub:001 dlvrd:001 submit date:2601050300 done date:2601050301 stat:DELIVRD err:000 text:",
            );
        } elsif ($cmd == Net::SMPP::CMD_deliver_sm_resp) {
            print "acknowledged $pdu->{status}\n";
        } elsif ($cmd == Net::SMPP::CMD_enquire_link) {
            print "enquire_link\n";
            $session->enquire_link_resp(seq => $pdu->{seq});
        } elsif ($cmd == Net::SMPP::CMD_unbind) {
            print "unbind\n";
            $session->unbind_resp(seq => $pdu->{seq});
            last;
        } else {
            print "unexpected $cmd\n";
        }
    }
    close $session;
}
